(* How large the crowds of single events are (docs/bounds.md, "Count"). So histories have room for them (specification:
   size-viable). *)
From Parte Require Export Room.

Section Counts.
Context {E : Events}.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Variable late : nat -> Z.
Variable limit : nat -> limits.
Notation pattern := (pattern net).
Notation value := (value net queues).
Notation owed := (owed queues late).
Notation of_sources := (of_sources queues late).
Notation has_room := (has_room net queues late limit).


Lemma part_of_both : forall A (ps a b : list A), part_of ps (a ++ b) -> exists pa pb, Permutation ps (pa ++ pb) /\
  part_of pa a /\ part_of pb b.
Proof.
  intros A. induction ps as [|x ps IH]; intros a b [r P].
  - exists [], []. split; auto. split; [exists a|exists b]; auto.
  - simpl in P. assert (I : In x (a ++ b)) by (rewrite <- P; simpl; auto). apply in_app_iff in I as [I|I].
    + apply in_split in I as (a1 & a2 & ->). rewrite <- app_assoc in P. simpl in P.
      apply Permutation_cons_app_inv in P. destruct (IH (a1 ++ a2) b) as (pa & pb & Q & [ra Ra] & B).
      { exists r. rewrite P, <- app_assoc. auto. }
      exists (x :: pa), pb. split; [simpl; auto|]. split; auto. exists ra. simpl.
      rewrite Ra. apply Permutation_middle.
    + apply in_split in I as (b1 & b2 & ->). rewrite app_assoc in P. apply Permutation_cons_app_inv in P.
      destruct (IH a (b1 ++ b2)) as (pa & pb & Q & B & [rb Rb]).
      { exists r. rewrite P, <- app_assoc. auto. }
      exists pa, (x :: pb). split; [rewrite Q; apply Permutation_middle|]. split; auto. exists rb. simpl.
      rewrite Rb. apply Permutation_middle.
Qed.
Lemma part_of_nodup : forall A (a b : list A), part_of a b -> NoDup b -> NoDup a.
Proof.
  intros A a b [r P] N. apply Permutation_sym in P. apply (Permutation_NoDup P) in N. clear P.
  induction a as [|x a IH]; simpl in N; constructor; inversion N; subst; auto. intros I. apply H1, in_or_app. auto.
Qed.
Lemma part_of_incl : forall A (a b : list A), part_of a b -> incl a b.
Proof. intros A a b [r P] x I. apply (Permutation_in _ P), in_or_app. auto. Qed.

Variables (events : nat -> nat) (period : nat -> Z).
Hypothesis Rated : forall q, 0 < period q /\ rated (events q) (period q) (map moment (payloads (queues q))).
Definition from_all (qs : list nat) : list partial := flat_map (fun q => payloads (queues q)) qs.
Definition fit_from (q : nat) (width : Z) : nat := if width <? 0 then 0%nat else fit_into (events q) (period q) width.
Definition fit_from_all (qs : list nat) (width : Z) : nat :=
  fold_right (fun q n => fit_from q (width + late q) + n)%nat 0%nat qs.

Lemma so_many_between : forall q m back ps, part_of ps (payloads (queues q)) ->
  (length (filter (fun p => Sizes.between (m - back) (m + late q) (moment p)) ps) <=
    fit_from q (back + late q))%nat.
Proof.
  intros q m back ps Pt. destruct (Rated q) as [Pq Rq]. unfold fit_from.
  destruct (back + late q <? 0) eqn:Gt; [apply Z.ltb_lt in Gt|apply Z.ltb_ge in Gt; assert (Le : m - back <= m + late
    q)
    by lia].
  2: {
    eapply Nat.le_trans; [|eapply Nat.le_trans;
      [apply (so_many_events_fit_into_a_window _ _ _ _ _ (rated_part _ _ _ _ (part_of_map _ _ moment _ _ Pt) Rq) Pq
        Le)|]].
    + clear. induction ps as [|p ps IH]; simpl; auto. destruct (Sizes.between _ _ (moment p)); simpl; lia.
    + apply Nat.eq_le_incl. f_equal. lia. }
  - rewrite filter_none; [simpl; lia|]. apply Forall_forall. intros p _. unfold Sizes.between. apply andb_false_iff.
    rewrite !Z.leb_gt. lia.
Qed.

(* However few its members, a crowd of single events is as many as fit into a window, source by source, and one for
  each
   event ahead. *)
Lemma a_crowd_of_events_is_small : forall qs qs' m back ps ahead, (exists before, qs' = before ++ qs) ->
  NoDup (from_all qs') -> part_of ps (from_all qs) ->
  Forall (fun p => m - back <= moment p) ps ->
  Forall (fun p => In p ahead \/ exists y, p = [y] /\ owed m qs' y) ps ->
  exists few rest, Permutation ps (few ++ rest) /\ (length few <= fit_from_all qs back)%nat /\ incl rest ahead.
Proof.
  induction qs as [|q qs IH]; intros qs' m back ps ahead [pre Eq] N Pt Low Led.
  - destruct Pt as [r Pt]. simpl in Pt. apply Permutation_sym, Permutation_nil in Pt. destruct ps; [|discriminate].
    exists [], []. split; auto. split; [simpl; lia|intros x []].
  - simpl in Pt. destruct (part_of_both _ _ _ _ Pt) as (pa & pb & P & A & B).
    rewrite P in Low, Led. apply Forall_app in Low as [La Lb]. apply Forall_app in Led as [Da Db].
    destruct (IH qs' m back pb ahead) as (few & rest & Q & F & I); auto.
    { exists (pre ++ [q]). rewrite <- app_assoc. auto. }
    set (inside := fun p => Sizes.between (m - back) (m + late q) (moment p)).
    exists (filter inside pa ++ few), (filter (fun p => negb (inside p)) pa ++ rest). split; [|split].
    + rewrite P, Q. rewrite (filter_split inside pa) at 1. rewrite <- !app_assoc. apply Permutation_app_head.
      rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
    + rewrite app_length. simpl. pose proof (so_many_between q m back pa A). fold inside in H. lia.
    + intros p Ip. apply in_app_iff in Ip as [Ip|Ip]; [|apply I; auto]. apply filter_In in Ip as [Ip Out].
      rewrite Forall_forall in La, Da. specialize (La p Ip).
      destruct (Da p Ip) as [Hy|(y & -> & Hy)]; [auto|]. exfalso. destruct Hy as (q2 & I2 & Iy & Ty). pose proof
        (part_of_incl _ _ _ A _ Ip) as Iq.
      assert (q2 = q) as ->.
      { rewrite Eq in N, I2. unfold from_all in N. rewrite flat_map_app in N. simpl in N.
        apply in_app_iff in I2. destruct I2 as [I2|[I2|I2]]; auto; exfalso.
        - assert (J : In [y] (flat_map (fun q => payloads (queues q)) pre)) by (apply in_flat_map; eauto).
          apply in_split in J as (j1 & j2 & J). rewrite J, <- app_assoc in N. simpl in N.
          apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto 10.
        - assert (J : In [y] (flat_map (fun q => payloads (queues q)) qs)) by (apply in_flat_map; eauto).
          apply in_split in Iq as (j1 & j2 & Iq). rewrite Iq, <- app_assoc in N. simpl in N. rewrite app_assoc in N.
          apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto 10. }
      unfold inside, Sizes.between, moment in *. simpl in *. apply negb_true_iff, andb_false_iff in Out.
      rewrite !Z.leb_gt in Out. lia.
Qed.
Lemma a_value_of_a_pattern_is_part : forall k qs, pattern k qs -> part_of (value k) (from_all qs).
Proof.
  intros k qs (own & e & n & slots & V & Ve). unfold Flows.value. rewrite (value_at net queues reach Net k _ V). unfold
    valued.
  simpl. apply part_of_filters. rewrite (value_at net queues reach Net e _ Ve). unfold valued. simpl.
  apply part_of_filters. destruct (slots_are_its_queues net reach Net e n slots qs Ve) as [-> _].
  assert (G : forall qs' pre, flat_map (fun k => looked_up queues (values queues net)
    (nth_error (map External (pre ++ qs')) k)) (seq (length pre) (length qs')) = from_all qs').
  { induction qs' as [|q qs' IH]; intros pre; simpl; auto. rewrite nth_error_map, nth_error_app2, Nat.sub_diag by lia.
    simpl. f_equal. specialize (IH (pre ++ [q])). rewrite <- app_assoc, app_length in IH. simpl in IH.
    rewrite Nat.add_1_r in IH. exact IH. }
  specialize (G qs []). simpl in G. rewrite G. apply part_of_refl.
Qed.

(* What a crowd of one pattern's events may be, on either side. *)
Lemma a_crowd_of_a_pattern_is_small : forall k qs m back live ps, pattern k qs -> NoDup (from_all qs) ->
  crowd (fun ps => part_of ps (value k)) (eq (of_sources qs)) m live ps ->
  (forall p, length p = 1%nat -> live p -> m - back <= moment p) ->
  (length ps <= fit_from_all qs back + (length qs - 1))%nat.
Proof.
  intros k qs m back live ps P N (Pt & Live & x & <- & ahead & La & Led) Low.
  assert (Pa : part_of ps (from_all qs)).
  { eapply part_of_trans; [exact Pt|]. apply a_value_of_a_pattern_is_part. auto. }
  assert (Wide : Forall (fun p => length p = 1%nat) ps).
  { apply part_of_all with (1 := Pa). unfold from_all. apply Forall_flat_map, Forall_forall. intros q _.
    apply honest_widths. auto. }
  assert (Low' : Forall (fun p => m - back <= moment p) ps) by (rewrite Forall_forall in *; auto).
  assert (Led' : Forall (fun p => In p ahead \/ exists y, p = [y] /\ owed m qs y) ps).
  { eapply Forall_impl; [|exact Led]. simpl. intros p [H|(p0 & I & ->)]; auto. }
  destruct (a_crowd_of_events_is_small qs qs m back ps ahead ltac:(exists []; auto) N Pa Low' Led') as
    (few & rest & Q & F & I).
  pose proof (part_of_nodup _ _ _ Pa N) as Nd. apply (Permutation_NoDup Q) in Nd.
  assert (Nr : NoDup rest).
  { apply (part_of_nodup _ rest (few ++ rest)); auto. exists few. apply Permutation_app_comm. }
  pose proof (NoDup_incl_length Nr I) as Lr. unfold allowed in La. simpl in La.
  apply Permutation_length in Q. rewrite app_length in Q. lia.
Qed.
(* PARTE/JOIN-RIGHT, PARTE/NOT-RIGHT, PARTE/SET-RIGHT (specification: size-viable, retention-right). As many right
  events
   as fit into closed windows, source by source, and one for each other source: what the checker counts. *)
Theorem a_crowd_on_the_right_is_no_more_than_is_counted : forall k qs lags minima m ps, pattern k qs ->
  NoDup (from_all qs) -> crowd_on_the_right (fun ps => part_of ps (value k)) (eq (of_sources qs)) lags minima m ps ->
  (length ps <= fit_from_all qs (lowest (pairwise Z.sub lags minima)) + (length qs - 1))%nat.
Proof. intros k qs lags minima m ps P N C. eapply a_crowd_of_a_pattern_is_small; eauto. Qed.
(* PARTE/JOIN-LEFT, PARTE/NOT-LEFT*, PARTE/SET-LEFT* (specification: size-viable, retention-left). The same of a left
   pattern. *)
Theorem a_crowd_of_first_events_is_no_more_than_is_counted : forall j qs least greatest lag m ps, pattern j qs ->
  NoDup (from_all qs) ->
  crowd_on_the_left (fun ps => part_of ps (value j)) (eq (of_sources qs)) [least] [greatest] lag m ps ->
  (length ps <= fit_from_all qs (lag + greatest) + (length qs - 1))%nat.
Proof.
  intros j qs least greatest lag m ps P N C. eapply a_crowd_of_a_pattern_is_small; eauto.
  intros p W [_ L]. destruct p as [|y [|? ?]]; try discriminate. unfold closes, lifetime_closes, moment in *. simpl in
    *.
  lia.
Qed.

(* PARTE/JOIN-LEFT, PARTE/JOIN-RIGHT, PARTE/NOT-*, PARTE/SET-* (specification: size-viable). So a node of two patterns,
   of one template or of two, from any number of sources, has room if its histories have that for one more than is
   counted. *)
Theorem a_node_of_two_patterns_has_room_for_what_is_counted : forall i kd least greatest j k qs qs',
  two_sided kd [least] [greatest] -> pattern j qs -> pattern k qs' -> NoDup (from_all qs) -> NoDup (from_all qs') ->
  (forall n, (n <= S (fit_from_all qs greatest + (length qs - 1)))%nat -> fits_in (left_room (limit i)) n = true) ->
  (forall n, (n <= S (fit_from_all qs' (match kd with Collecting _ _ _ => Z.max 0 greatest | _ => 0 end - least) +
    (length qs' - 1)))%nat -> fits_in (right_room (limit i)) n = true) ->
  has_room i (Vertex kd [Internal j; Internal k]).
Proof.
  intros i kd least greatest j k qs qs' Two P P' N N' L R.
  assert (G : exists j0 k0 ls lag P0 Q L0 R0, [Internal j; Internal k] = [Internal j0; Internal k0] /\
    flows net queues late limit j0 ls P0 L0 /\ flows net queues late limit k0 [lag] Q R0 /\
    (forall m ps, crowd_on_the_left P0 L0 [least] [greatest] lag m ps ->
      fits_in (left_room (limit i)) (S (length ps)) = true) /\
    (forall m ps, crowd_on_the_right Q R0 (lags_on_the_right kd ls lag) [least] m ps ->
      fits_in (right_room (limit i)) (S (length ps)) = true)).
  { exists j, k, [0], 0. do 4 eexists. split; [reflexivity|]. split; [apply Of_a_pattern; exact P|].
    split; [apply Of_a_pattern; exact P'|]. split; intros m ps C.
    - apply L. apply (a_crowd_of_first_events_is_no_more_than_is_counted _ _ _ _ _ _ _ P N) in C. simpl in C. lia.
    - apply R. apply (a_crowd_on_the_right_is_no_more_than_is_counted _ _ _ _ _ _ P' N') in C.
      destruct Two as [(negated & own & ->)|(own & ->)]; simpl in C |- *; lia. }
  destruct Two as [(negated & own & ->)|(own & ->)]; exact G.
Qed.
End Counts.
