(* How large the crowds of Room.v are: of single events, and of partial matches along spanning trees (docs/bounds.md,
   "Count"). So histories have room for them (specification: size-viable). *)
From Parte Require Export Room.

Section Counts.
Context {E : Events}.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Variable late : nat -> Z.
Variable limit : nat -> limits.
Notation pattern := (pattern net).
Notation joins := (joins net).
Notation value := (value net queues).
Notation owed := (owed queues late).
Notation crowd_on_the_left := (crowd_on_the_left net queues late).
Notation crowd_on_the_right := (crowd_on_the_right net queues late).
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
  destruct (back + late q <? 0) eqn:Gt; [apply Z.ltb_lt in Gt|apply Z.ltb_ge in Gt; assert (Le : m - back <= m + late q)
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

(* However few its members, a crowd of single events is as many as fit into a window, source by source, and one for each
   event ahead. *)
Lemma a_crowd_of_events_is_small : forall qs qs' m back ps ahead, (exists before, qs' = before ++ qs) ->
  NoDup (from_all qs') -> part_of ps (from_all qs) ->
  Forall (fun p => m - back <= moment p) ps ->
  Forall (fun p => exists y, p = [y] /\ (In y ahead \/ owed m qs' y)) ps ->
  exists few rest, Permutation ps (few ++ rest) /\ (length few <= fit_from_all qs back)%nat /\
  incl rest (map (fun y => [y]) ahead).
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
      rewrite Forall_forall in La, Da. specialize (La p Ip). destruct (Da p Ip) as (y & -> & [Hy|Hy]).
      { apply in_map_iff. eauto. }
      exfalso. destruct Hy as (q2 & I2 & Iy & Ty). pose proof (part_of_incl _ _ _ A _ Ip) as Iq.
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
  intros k qs (own & e & n & slots & V & Ve). unfold value. rewrite (value_at net queues reach Net k _ V). unfold
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

(* PARTE/JOIN-RIGHT (specification: size-viable, retention-right). As many right events as fit into closed windows,
   source by source, and one for each other source: what the checker counts. *)
Theorem a_crowd_on_the_right_is_no_more_than_is_counted : forall k qs lags minima m ps, pattern k qs ->
  NoDup (from_all qs) -> crowd_on_the_right k qs lags minima m ps ->
  (length ps <= fit_from_all qs (lowest (pairwise Z.sub lags minima)) + (length qs - 1))%nat.
Proof.
  intros k qs lags minima m ps P N (Pt & Low & ahead & La & Led).
  assert (Pa : part_of ps (from_all qs)).
  { eapply part_of_trans; [exact Pt|]. apply a_value_of_a_pattern_is_part. auto. }
  destruct (a_crowd_of_events_is_small qs qs m _ ps ahead ltac:(exists []; auto) N Pa Low Led) as (few & rest & Q & F
    & I).
  pose proof (part_of_nodup _ _ _ Pa N) as Nd. apply (Permutation_NoDup Q) in Nd.
  assert (Nr : NoDup rest).
  { apply (part_of_nodup _ rest (few ++ rest)); auto. exists few. apply Permutation_app_comm. }
  pose proof (NoDup_incl_length Nr I) as Lr. rewrite map_length in Lr.
  apply Permutation_length in Q. rewrite app_length in Q. lia.
Qed.
(* PARTE/JOIN-LEFT (specification: size-viable, retention-left). The same of a left pattern. *)
Theorem a_crowd_of_first_events_is_no_more_than_is_counted : forall j qs least greatest m ps, pattern j qs ->
  NoDup (from_all qs) -> crowd_on_the_left j [qs] [least] [greatest] m ps ->
  (length ps <= fit_from_all qs greatest + (length qs - 1))%nat.
Proof.
  intros j qs least greatest m ps P N (Pt & Live & r & qs0 & ahead & Nr & La & Led).
  destruct r as [|r]; [|destruct r; discriminate]. inversion Nr; subst qs0. simpl in La.
  assert (Pa : part_of ps (from_all qs)).
  { eapply part_of_trans; [exact Pt|]. apply a_value_of_a_pattern_is_part. auto. }
  assert (Wide : Forall (fun p => length p = 1%nat) ps).
  { apply part_of_all with (1 := Pa). unfold from_all. apply Forall_flat_map, Forall_forall. intros q _.
    apply honest_widths. auto. }
  assert (Low : Forall (fun p => m - greatest <= moment p) ps).
  { rewrite Forall_forall in *. intros p I. specialize (Wide p I). destruct (Live p I) as [_ L].
    destruct p as [|y [|? ?]]; try discriminate. unfold closes, lifetime_closes, moment in *. simpl in *. lia. }
  assert (Led' : Forall (fun p => exists y, p = [y] /\ (In y ahead \/ owed m qs y)) ps).
  { rewrite Forall_forall in *. intros p I. specialize (Wide p I). destruct (Led p I) as (y & Ny & H).
    destruct p as [|y' [|? ?]]; try discriminate. inversion Ny; subst. eauto. }
  destruct (a_crowd_of_events_is_small qs qs m _ ps ahead ltac:(exists []; auto) N Pa Low Led') as
    (few & rest & Q & F & I).
  pose proof (part_of_nodup _ _ _ Pa N) as Nd. apply (Permutation_NoDup Q) in Nd.
  assert (Ndr : NoDup rest).
  { apply (part_of_nodup _ rest (few ++ rest)); auto. exists few. apply Permutation_app_comm. }
  pose proof (NoDup_incl_length Ndr I) as Lr. rewrite map_length in Lr.
  apply Permutation_length in Q. rewrite app_length in Q. lia.
Qed.

(* PARTE/JOIN-LEFT, PARTE/JOIN-RIGHT (specification: size-viable). So a join of two patterns, of one template or of two,
   from any number of sources, has room if its histories have that for one more than is counted. *)
Theorem a_join_of_two_patterns_has_room_for_what_is_counted : forall i least greatest own j k qs qs',
  pattern j qs -> pattern k qs' -> NoDup (from_all qs) -> NoDup (from_all qs') ->
  (forall n, (n <= S (fit_from_all qs greatest + (length qs - 1)))%nat -> fits_in (left_room (limit i)) n = true) ->
  (forall n, (n <= S (fit_from_all qs' (- least) + (length qs' - 1)))%nat -> fits_in (right_room (limit i)) n = true) ->
  has_room i (Vertex (TwoInput false [least] [greatest] own) [Internal j; Internal k]).
Proof.
  intros i least greatest own j k qs qs' P P' N N' L R. unfold has_room. simpl. split; auto.
  exists j, k, [qs], qs', [0]. repeat split; auto; [constructor; auto|econstructor; eauto|intros m ps C..].
  - apply L. apply (a_crowd_of_first_events_is_no_more_than_is_counted _ _ _ _ _ _ P N) in C. lia.
  - apply R. apply (a_crowd_on_the_right_is_no_more_than_is_counted _ _ _ _ _ _ P' N') in C. simpl in C.
    replace (0 - least) with (- least) in C by lia. lia.
Qed.

(* ---- Counts of partial matches --------------------------------------------------------------------------------- *)

Definition events_of (qss : list (list nat)) (v : nat) : list event :=
  flat_map (fun p => match p with y :: _ => [y] | [] => [] end) (from_all (nth v qss [])).
Definition fit_at (qss : list (list nat)) (v : nat) (width : Z) : nat :=
  fold_right (fun q n => fit_from q width + n)%nat 0%nat (nth v qss []).
Definition most_at (qss : list (list nat)) (s : nat * limit_of) : nat :=
  match snd s with
  | OneOf few => length few
  | Within least greatest | WithinOf _ least greatest => fit_at qss (fst s) (greatest - least) end.

Lemma so_many_fit : forall qss v a b, (length (filter (within_window a b) (events_of qss v)) <= fit_at qss v (b -
  a))%nat.
Proof.
  intros qss v a b. unfold events_of, fit_at, from_all. generalize (nth v qss []). intros qs.
  induction qs as [|q qs IH]; simpl; auto. rewrite flat_map_app, filter_app, app_length.
  apply Nat.add_le_mono; [|exact IH]. destruct (Rated q) as [Pq Rq]. unfold fit_from.
  assert (L : (length (filter (within_window a b) (flat_map (fun p : partial => match p with y :: _ => [y] | [] => []
    end)
    (payloads (queues q)))) <= length (filter (Sizes.between a b) (map moment (payloads (queues q)))))%nat).
  { pose proof (honest_widths _ _ (Honest q)) as W. clear - W. induction W as [|p l Hp W IH]; simpl; auto.
    destruct p as [|y [|? ?]]; try discriminate. simpl. unfold within_window at 1, moment at 1. simpl.
    destruct (Sizes.between a b (time y)); simpl; lia. }
  destruct (b - a <? 0) eqn:Q.
  - apply Z.ltb_lt in Q. eapply Nat.le_trans; [exact L|]. rewrite filter_none; [simpl; lia|].
    apply Forall_forall. intros t _. unfold Sizes.between. apply andb_false_iff. rewrite !Z.leb_gt. lia.
  - apply Z.ltb_ge in Q. eapply Nat.le_trans; [exact L|].
    apply so_many_events_fit_into_a_window; auto. lia.
Qed.
Lemma options_are_few : forall qss s ch, (length (options (events_of qss) s ch) <= most_at qss s)%nat.
Proof.
  intros qss [v l] ch. unfold options, most_at. simpl. destruct l as [few|least greatest|origin least greatest]; auto.
  - apply so_many_fit.
  - destruct (chosen origin ch) as [x|]; [|simpl; lia].
    replace (greatest - least) with ((time x + greatest) - (time x + least)) by lia. apply so_many_fit.
Qed.

Lemma what_a_value_has : forall j qss, joins j qss -> forall p, In p (value j) -> length p = length qss /\
  forall v y, nth_error p v = Some y -> In y (events_of qss v).
Proof.
  intros j qss J. induction J as [j qs P|i minima maxima own j k qss qs V J IH P]; intros p I.
  - pose proof (part_of_incl _ _ _ (a_value_of_a_pattern_is_part j qs P) p I) as I'.
    assert (W : length p = 1%nat).
    { unfold from_all in I'. apply in_flat_map in I' as (q & _ & Iq). pose proof (honest_widths _ _ (Honest q)) as W.
      rewrite Forall_forall in W. auto. }
    split; auto. destruct p as [|y [|? ?]]; try discriminate. intros [|v] z Nz; [|destruct v; discriminate].
    inversion Nz; subst. unfold events_of. apply in_flat_map. exists [z]. split; [exact I'|simpl; auto].
  - unfold value in I. rewrite (value_at net queues reach Net i _ V) in I. unfold valued in I. simpl in I.
    unfold joined in I. apply in_map_iff in I as ([p' q] & <- & I). apply filter_In in I as [I _].
    apply in_prod_iff in I as [Ip Iq]. destruct (IH p' Ip) as [Lp Hp].
    pose proof (part_of_incl _ _ _ (a_value_of_a_pattern_is_part k qs P) q Iq) as I'.
    assert (W : length q = 1%nat).
    { unfold from_all in I'. apply in_flat_map in I' as (x & _ & Ix). pose proof (honest_widths _ _ (Honest x)) as W.
      rewrite Forall_forall in W. auto. }
    simpl. rewrite !app_length, Lp, W. split; auto. intros v y Ny.
    destruct (Nat.lt_ge_cases v (length qss)) as [L|L].
    + rewrite nth_error_app1 in Ny by lia. unfold events_of. rewrite app_nth1 by lia. apply (Hp v y Ny).
    + rewrite nth_error_app2 in Ny by lia. destruct q as [|z [|? ?]]; try discriminate.
      destruct (v - length p')%nat as [|u] eqn:Q; [|destruct u; discriminate]. inversion Ny; subst z.
      unfold events_of. rewrite app_nth2 by lia. replace (v - length qss)%nat with 0%nat by lia. simpl.
      apply in_flat_map. exists [y]. split; [exact I'|simpl; auto].
Qed.

(* The distances that the constraints of a rule allow between two events of its matches (specification:
   variables-related). *)
Definition apart (j u v : nat) (least greatest : Z) : Prop := forall p x y, In p (value j) ->
  nth_error p u = Some x -> nth_error p v = Some y -> least <= time y - time x <= greatest.

(* A tree for the members of a crowd that the event at r leads: each other event is in a window from an event before it,
   or as late as the one at r allows, and live. *)
Inductive how := Leads | From (origin : nat) (least greatest : Z).
Definition limit_by (r : nat) (maxima : list Z) (far : nat -> Z) (m : Z) (few : option (list event)) (x : nat * how) :
  nat * limit_of :=
  (fst x, match snd x with
          | From origin least greatest => WithinOf origin least greatest
          | Leads => match few with
                     | Some l => OneOf l
                     | None => Within (m - nth (fst x) maxima 0) (m + far (fst x)) end end).
Definition stands (j r : nat) (lateness : Z) (far : nat -> Z) (x : nat * how) : Prop :=
  match snd x with
  | From origin least greatest => apart j origin (fst x) least greatest
  | Leads => exists least, apart j r (fst x) least (far (fst x) - lateness) end.

Lemma its_members_keep_to_a_tree : forall j qss maxima m r lateness far tree p y, joins j qss -> In p (value j) ->
  length maxima = length qss -> m <= closes maxima p -> nth_error p r = Some y -> time y <= m + lateness ->
  Forall (fun x => (fst x < length qss)%nat /\ stands j r lateness far x) tree ->
  (forall x, In x tree -> match snd x with From origin _ _ => (origin < length qss)%nat | _ => True end) ->
  Forall (keeps (events_of qss) p) (map (limit_by r maxima far m None) tree).
Proof.
  intros j qss maxima m r lateness far tree p y J I Lm Live Ny Late F O. destruct (what_a_value_has j qss J p I) as
    [Lp H].
  apply Forall_map. rewrite Forall_forall in *. intros [v h] Ix. destruct (F _ Ix) as [Lv St]. specialize (O _ Ix).
  simpl in Lv, St, O. destruct (nth_error p v) as [z|] eqn:Nz; [|apply nth_error_None in Nz; lia].
  exists z. simpl. split; auto. split; [apply H; auto|]. unfold stands in St. simpl in St.
  unfold within_window, Sizes.between. destruct h as [|origin least greatest].
  - destruct St as [least St]. specialize (St p y z I Ny Nz). apply andb_true_iff. rewrite !Z.leb_le. split; [|lia].
    unfold closes, lifetime_closes in Live. apply le_lowest in Live.
    + assert (G : forall ts ms w t x, Forall (fun b => m <= b) (adds ts ms) -> length ts = length ms ->
        nth_error ts w = Some t -> nth w ms 0 = x -> m - x <= t).
      { unfold adds. induction ts as [|t0 ts IH]; intros [|b ms] w t x Fa L Nw Ew; try discriminate;
          [destruct w; discriminate|]. simpl in Fa. inversion Fa; subst. destruct w as [|w]; simpl in *.
        - inversion Nw; subst. lia.
        - apply (IH ms w t); auto. }
      apply (G (times p) maxima v (time z) (nth v maxima 0)); auto; [rewrite times_length; lia|].
      unfold times. rewrite nth_error_map, Nz. auto.
    + apply adds_nonempty; [rewrite times_length; lia|]. destruct p; [destruct v; discriminate|discriminate].
  - destruct (nth_error p origin) as [x|] eqn:Nx; [|apply nth_error_None in Nx; lia].
    exists x. split; auto. specialize (St p x z I Nx Nz). apply andb_true_iff. rewrite !Z.leb_le. lia.
Qed.

Lemma its_members_ahead_keep_to_a_tree : forall j qss maxima m r lateness far few tree p y, joins j qss ->
  In p (value j) -> nth_error p r = Some y -> In y few ->
  Forall (fun x => (fst x < length qss)%nat /\ stands j r lateness far x) tree ->
  (forall x, In x tree -> match snd x with From origin _ _ => (origin < length qss)%nat | Leads => fst x = r end) ->
  Forall (keeps (events_of qss) p) (map (limit_by r maxima far m (Some few)) tree).
Proof.
  intros j qss maxima m r lateness far few tree p y J I Ny Iy F O. destruct (what_a_value_has j qss J p I) as [Lp H].
  apply Forall_map. rewrite Forall_forall in *. intros [v h] Ix. destruct (F _ Ix) as [Lv St]. specialize (O _ Ix).
  simpl in Lv, St, O. destruct (nth_error p v) as [z|] eqn:Nz; [|apply nth_error_None in Nz; lia].
  exists z. simpl. split; auto. split; [apply H; auto|]. unfold stands in St. simpl in St.
  destruct h as [|origin least greatest]; [congruence|].
  destruct (nth_error p origin) as [x|] eqn:Nx; [|apply nth_error_None in Nx; lia].
  exists x. split; auto. specialize (St p x z I Nx Nz). unfold within_window, Sizes.between. apply andb_true_iff.
  rewrite !Z.leb_le. lia.
Qed.

Definition weight (qss : list (list nat)) (maxima : list Z) (far : nat -> Z) (ahead : option nat) (x : nat * how) :
  nat :=
  match snd x with
  | From _ least greatest => fit_at qss (fst x) (greatest - least)
  | Leads => match ahead with Some n => n | None => fit_at qss (fst x) (nth (fst x) maxima 0 + far (fst x)) end
  end.
Definition weights qss maxima far ahead (tree : list (nat * how)) : nat :=
  fold_right (fun x n => weight qss maxima far ahead x * n)%nat 1%nat tree.
Lemma products_are_weights : forall qss maxima r far m few tree,
  product (most_at qss) (map (limit_by r maxima far m few) tree) = weights qss maxima far (option_map (@length event)
    few)
    tree.
Proof.
  intros. induction tree as [|[v h] tree IH]; simpl; auto. rewrite IH. f_equal. unfold most_at, weight. simpl.
  destruct h as [|o a b]; auto. destruct few; auto. simpl. f_equal. lia.
Qed.
Lemma fewer_weigh_less : forall qss maxima far a b tree, (a <= b)%nat ->
  (weights qss maxima far (Some a) tree <= weights qss maxima far (Some b) tree)%nat.
Proof.
  intros qss maxima far a b tree L. induction tree as [|[v h] tree IH]; simpl; auto. apply Nat.mul_le_mono; auto.
  unfold weight. simpl. destruct h; auto.
Qed.

(* A tree over all places of a partial match, the last first; each origin stands before. *)
Fixpoint grown_in_order (tree : list (nat * how)) : Prop :=
  match tree with
  | [] => True
  | x :: before => match snd x with From origin _ _ => In origin (map fst before) | Leads => True end /\
      grown_in_order before
  end.
Lemma grown_is_rooted : forall r maxima far m few tree, grown_in_order tree ->
  rooted (map (limit_by r maxima far m few) tree).
Proof.
  intros r maxima far m few tree. induction tree as [|[v h] tree IH]; simpl; auto. intros [O G]. split; auto.
  destruct h as [|o a b]; [destruct few; auto|]. rewrite map_map. simpl. exact O.
Qed.
Lemma origins_are_places : forall tree n, grown_in_order tree -> Forall (fun x => (fst x < n)%nat) tree ->
  forall x, In x tree -> match snd x with From origin _ _ => (origin < n)%nat | Leads => True end.
Proof.
  intros tree n. induction tree as [|y tree IH]; intros G F x I; [contradiction|]. inversion F; subst. destruct G as
    [O G].
  destruct I as [<-|I].
  - destruct (snd y) as [|o a b]; auto. apply in_map_iff in O as (z & <- & Iz). rewrite Forall_forall in H2. auto.
  - apply IH; auto.
Qed.
Record tree_of (j : nat) (qss : list (list nat)) (r : nat) (lateness : Z) (far : nat -> Z) (tree : list (nat * how)) :
  Prop := TreeOf {
  its_order : grown_in_order tree;
  its_places : forall v, (v < length qss)%nat -> In v (map fst tree);
  its_edges : Forall (fun x => (fst x < length qss)%nat /\ stands j r lateness far x) tree }.

(* PARTE/JOIN-LEFT (specification: size-viable, retention-left). Partial matches of any number of events: no more, for
  the
   place r whose sources have promised least, than the product along a tree whose other roots are limited by the event
     at
   r; and along a tree from r alone, for each of the events ahead there. *)
Theorem a_crowd_of_partial_matches_is_no_more_than_is_counted : forall j qss minima maxima m ps n, joins j qss ->
  length maxima = length qss -> NoDup (value j) -> crowd_on_the_left j qss minima maxima m ps ->
  (forall r qs, nth_error qss r = Some qs -> exists lateness far tree tree_ahead,
    (forall q, In q qs -> late q <= lateness) /\ tree_of j qss r lateness far tree /\
    tree_of j qss r lateness far tree_ahead /\ (forall x, In x tree_ahead -> snd x = Leads -> fst x = r) /\
    (weights qss maxima far None tree + weights qss maxima far (Some (length qs)) tree_ahead <= n)%nat) ->
  (length ps <= n)%nat.
Proof.
  intros j qss minima maxima m ps n J Lm Nd (Pt & Live & r & qs & ahead & Nr & La & Led) Trees.
  destruct (Trees r qs Nr) as (lateness & far & t1 & t2 & Late & T1 & T2 & Root & Le).
  pose proof (part_of_nodup _ _ _ Pt Nd) as Np. pose proof (part_of_incl _ _ _ Pt) as Inc.
  assert (Split : exists few rest, Permutation ps (few ++ rest) /\
    Forall (fun p => exists y, nth_error p r = Some y /\ owed m qs y) few /\
    Forall (fun p => exists y, nth_error p r = Some y /\ In y ahead) rest).
  { clear - Led. induction Led as [|p ps (y & Ny & Hy) F IH]; [exists [], []; auto|].
    destruct IH as (few & rest & P & A & B). destruct Hy as [Hy|Hy].
    - exists few, (p :: rest). split; [rewrite P; apply Permutation_middle|]. split; auto. constructor; eauto.
    - exists (p :: few), rest. split; [simpl; auto|]. split; auto. constructor; eauto. }
  destruct Split as (few & rest & P & A & B). pose proof (Permutation_NoDup P Np) as Nb.
  assert (Mem : forall p, In p (few ++ rest) -> In p ps) by (intros p; apply Permutation_in; symmetry; auto).
  assert (Lf : (length few <= weights qss maxima far None t1)%nat).
  { pose proof (products_are_weights qss maxima r far m None t1) as Pw. cbn [option_map] in Pw. rewrite <- Pw.
    apply (partial_matches_are_few_along_a_tree (events_of qss) (most_at qss) (options_are_few qss) (length qss)).
    - apply (part_of_nodup _ few (few ++ rest)); auto. apply part_of_app_left.
    - apply grown_is_rooted, T1.
    - intros v L. rewrite map_map. simpl. apply (its_places _ _ _ _ _ _ T1 v L).
    - rewrite Forall_forall in *. intros p I. assert (Ip : In p ps) by (apply Mem, in_or_app; auto).
      destruct (A p I) as (y & Ny & q & Iq & _ & Ty). destruct (Live p Ip) as [_ Lp]. split.
      + apply (what_a_value_has j qss J p (Inc p Ip)).
      + apply (its_members_keep_to_a_tree j qss maxima m r lateness far t1 p y); auto; [|apply T1|].
        * specialize (Late q Iq). lia.
        * apply origins_are_places; [apply T1|]. eapply Forall_impl; [|apply T1]. simpl. tauto. }
  assert (Lr : (length rest <= weights qss maxima far (Some (length qs)) t2)%nat).
  { eapply Nat.le_trans; [|apply (fewer_weigh_less _ _ _ (length ahead)); lia].
    pose proof (products_are_weights qss maxima r far m (Some ahead) t2) as Pw. cbn [option_map] in Pw. rewrite <- Pw.
    apply (partial_matches_are_few_along_a_tree (events_of qss) (most_at qss) (options_are_few qss) (length qss)).
    - apply (part_of_nodup _ rest (few ++ rest)); auto. exists few. apply Permutation_app_comm.
    - apply grown_is_rooted, T2.
    - intros v L. rewrite map_map. simpl. apply (its_places _ _ _ _ _ _ T2 v L).
    - rewrite Forall_forall in *. intros p I. assert (Ip : In p ps) by (apply Mem, in_or_app; auto).
      destruct (B p I) as (y & Ny & Iy). split; [apply (what_a_value_has j qss J p (Inc p Ip))|].
      apply (its_members_ahead_keep_to_a_tree j qss maxima m r lateness far ahead t2 p y); auto; [apply T2|].
      intros x Ix. assert (O := origins_are_places t2 (length qss) (its_order _ _ _ _ _ _ T2)
        ltac:(eapply Forall_impl; [|apply T2]; simpl; tauto) x Ix). destruct (snd x) eqn:Sx; auto. }
  apply Permutation_length in P. rewrite app_length in P. lia.
Qed.

(* PARTE/JOIN-* (specification: variables-related, two-input-nodes). The windows of a join stand between the events of
   what it sends, and whatever is above stays. *)
Theorem windows_are_distances : forall i minima maxima own j k qss, joins j qss ->
  nth_error net i = Some (Vertex (TwoInput false minima maxima own) [Internal j; Internal k]) ->
  forall u least greatest, nth_error minima u = Some least -> nth_error maxima u = Some greatest ->
  apart i u (length qss) least greatest.
Proof.
  intros i minima maxima own j k qss J V u least greatest Nl Ng p x y I Nx Ny.
  unfold value in I. rewrite (value_at net queues reach Net i _ V) in I. unfold valued in I. simpl in I.
  unfold joined in I. apply in_map_iff in I as ([p' q] & <- & I). apply filter_In in I as [I Mt].
  apply in_prod_iff in I as [Ip _]. destruct (what_a_value_has j qss J p' Ip) as [Lp _]. simpl in Nx, Ny, Mt.
  destruct (width_of_joins net reach Net j qss J) as (w & W & Ww & _).
  pose proof (its_kind _ _ i _ (Net i _ V)) as K. simpl in K. destruct K as (K & N & Sw & _). unfold widths in K.
  simpl in K. rewrite W, Ww in K. injection K as K _.
  rewrite nth_error_app2, Lp, Nat.sub_diag in Ny by lia. destruct q as [|z q]; [discriminate|]. inversion Ny; subst z.
  assert (Lu : (u < length p')%nat) by (rewrite Lp, K; apply nth_error_Some; congruence).
  rewrite nth_error_app1 in Nx by auto. unfold Nodes.matches in Mt. apply andb_true_iff in Mt as [Mt _].
  unfold in_window in Mt. apply andb_true_iff in Mt as [Op Cl]. apply Z.leb_le in Op, Cl. unfold moment in Op, Cl.
  simpl in Op, Cl. unfold opens, lifetime_opens in Op. unfold closes, lifetime_closes in Cl.
  assert (Ne : times p' <> []) by (destruct p'; [simpl in Lu; lia|discriminate]).
  apply highest_le in Op; [|apply adds_nonempty; [rewrite times_length; lia|auto]].
  apply le_lowest in Cl; [|apply adds_nonempty; [rewrite times_length; lia|auto]].
  assert (G : forall (Q : Z -> Prop) ts ms w t b, Forall Q (adds ts ms) -> nth_error ts w = Some t ->
    nth_error ms w = Some b -> Q (t + b)).
  { intros Q. unfold adds. induction ts as [|t0 ts IH]; intros [|b0 ms] [|o] t b F Nt Nb; try discriminate;
      simpl in *; inversion F; subst.
    - inversion Nt; inversion Nb; subst. auto.
    - eauto. }
  assert (Nt : nth_error (times p') u = Some (time x)) by (unfold times; rewrite nth_error_map, Nx; auto).
  pose proof (G _ _ _ u _ _ Op Nt Nl) as A. pose proof (G _ _ _ u _ _ Cl Nt Ng) as B. simpl in A, B. lia.
Qed.
End Counts.
