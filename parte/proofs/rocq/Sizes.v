(* Sizes: how many events fit into a window at a given rate, and histories with which the join of two patterns, fed by
   a source each, never blocks (docs/bounds.md; semantics/events/rates.py, retention.py). *)
From Parte Require Export Termination Printed.

(* ---- Rates --------------------------------------------------------------------------------------------------------
   At most `n` events in any interval of `period`, its end excluded (D def. 2; specification: deployment-files). *)
Definition between (x y : Z) (t : Z) : bool := (x <=? t) && (t <=? y).
Definition rated (n : nat) (period : Z) (l : list Z) : Prop :=
  forall x, (length (filter (between x (x + period - 1)) l) <= n)%nat.

(* How many events fit into a closed window, and the time that so many events span at least (specification:
   size-viable). *)
Definition fit_into (n : nat) (period width : Z) : nat := (n * Z.to_nat (width / period + 1))%nat.
Definition span (n : nat) (period : Z) (events : nat) : Z := period * ((Z.of_nat events - 1) / Z.of_nat n).

Definition part_of {A} (a b : list A) : Prop := exists rest, Permutation (a ++ rest) b.

Lemma part_of_refl : forall A (a : list A), part_of a a.
Proof. intros. exists []. rewrite app_nil_r. auto. Qed.
Lemma part_of_trans : forall A (a b c : list A), part_of a b -> part_of b c -> part_of a c.
Proof.
  intros A a b c [r P] [s Q]. exists (r ++ s). rewrite app_assoc. rewrite <- Q. apply Permutation_app_tail. auto.
Qed.
Lemma part_of_filter : forall A (f : A -> bool) l, part_of (filter f l) l.
Proof. intros. exists (filter (fun x => negb (f x)) l). symmetry. apply filter_split. Qed.
Lemma part_of_app_left : forall A (a b : list A), part_of a (a ++ b).
Proof. intros. exists b. auto. Qed.
Lemma part_of_app : forall A (a b c d : list A), part_of a b -> part_of c d -> part_of (a ++ c) (b ++ d).
Proof.
  intros A a b c d [r P] [s Q]. exists (r ++ s). rewrite <- P, <- Q. rewrite <- !app_assoc.
  apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma part_of_map : forall A B (f : A -> B) a b, part_of a b -> part_of (map f a) (map f b).
Proof. intros A B f a b [r P]. exists (map f r). rewrite <- map_app. apply Permutation_map. auto. Qed.
Lemma part_of_length : forall A (a b : list A), part_of a b -> (length a <= length b)%nat.
Proof. intros A a b [r P]. apply Permutation_length in P. rewrite app_length in P. lia. Qed.
Lemma part_of_filtered : forall A (f : A -> bool) a b, part_of a b -> part_of (filter f a) (filter f b).
Proof.
  intros A f a b [r P]. exists (filter f r). rewrite <- filter_app. apply filter_permutation. auto.
Qed.

Lemma part_of_all : forall A (P : A -> Prop) a b, part_of a b -> Forall P b -> Forall P a.
Proof. intros A P a b [r Q] F. rewrite <- Q in F. apply Forall_app in F. tauto. Qed.

Lemma rated_part : forall n p a b, part_of a b -> rated n p b -> rated n p a.
Proof.
  intros n p a b P R x. eapply Nat.le_trans; [|apply (R x)]. apply part_of_length, part_of_filtered. auto.
Qed.

Lemma covered : forall A (f g h : A -> bool) l, (forall t, f t = true -> g t = true \/ h t = true) ->
  (length (filter f l) <= length (filter g l) + length (filter h l))%nat.
Proof.
  intros A f g h l C. induction l as [|t l IH]; simpl; auto. specialize (C t).
  destruct (f t), (g t), (h t); simpl; lia.
Qed.

Lemma so_many_periods : forall n p l, rated n p l -> 0 < p -> forall m x,
  (length (filter (between x (x + Z.of_nat m * p - 1)) l) <= n * m)%nat.
Proof.
  intros n p l R P m. induction m as [|m IH]; intros x.
  - rewrite (filter_none (between x (x + Z.of_nat 0 * p - 1)) l); [simpl; lia|]. apply Forall_forall. intros t _.
    unfold between.
    apply andb_false_iff. rewrite !Z.leb_gt. lia.
  - specialize (IH (x + p)). specialize (R x).
    assert (L := covered _ (between x (x + Z.of_nat (S m) * p - 1)) (between x (x + p - 1))
      (between (x + p) (x + p + Z.of_nat m * p - 1)) l).
    assert (forall t, between x (x + Z.of_nat (S m) * p - 1) t = true ->
      between x (x + p - 1) t = true \/ between (x + p) (x + p + Z.of_nat m * p - 1) t = true).
    { intros t. unfold between. rewrite !andb_true_iff, !Z.leb_le. lia. }
    specialize (L H). nia.
Qed.

(* PARTE/JOIN-* (specification: size-viable). *)
Theorem so_many_events_fit_into_a_window : forall n p l x y, rated n p l -> 0 < p -> x <= y ->
  (length (filter (between x y) l) <= fit_into n p (y - x))%nat.
Proof.
  intros n p l x y R P L. unfold fit_into. eapply Nat.le_trans; [|apply (so_many_periods n p l R P _ x)].
  assert (0 <= (y - x) / p) by (apply Z.div_pos; lia).
  rewrite Z2Nat.id by lia. pose proof (Z.mod_pos_bound (y - x) p P). pose proof (Z.div_mod (y - x) p ltac:(lia)).
  apply part_of_length.
  replace (filter (between x y) l) with (filter (between x y) (filter (between x (x + ((y - x) / p + 1) * p - 1)) l)).
  { apply part_of_filter. }
  rewrite filter_both. apply filter_ext. intros t. unfold between. destruct (x <=? t) eqn:A; simpl; auto.
  destruct (t <=? y) eqn:B; rewrite ?andb_true_r, ?andb_false_r; auto. apply Z.leb_le in B. apply Z.leb_le. nia.
Qed.

(* PARTE/JOIN-* (specification: size-viable). *)
Theorem so_many_events_span_so_much : forall n p l x y, rated n p l -> 0 < p -> (0 < n)%nat -> l <> [] ->
  Forall (fun t => between x y t = true) l -> span n p (length l) <= y - x.
Proof.
  intros n p l x y R P N Ne F.
  assert (L : x <= y).
  { destruct l as [|t l]; [easy|]. inversion F; subst. unfold between in H1. apply andb_true_iff in H1.
    rewrite !Z.leb_le in H1. lia. }
  pose proof (so_many_events_fit_into_a_window n p l x y R P L) as W. rewrite filter_all in W by auto.
  unfold fit_into in W. unfold span.
  assert (0 <= (y - x) / p) by (apply Z.div_pos; lia).
  assert (Z.of_nat (length l) <= Z.of_nat n * ((y - x) / p + 1)).
  { rewrite <- (Z2Nat.id ((y - x) / p + 1)) by lia. rewrite <- Nat2Z.inj_mul. lia. }
  assert ((Z.of_nat (length l) - 1) / Z.of_nat n <= (y - x) / p).
  { apply Z.lt_succ_r. apply Z.div_lt_upper_bound; lia. }
  pose proof (Z.mul_div_le (y - x) p P). nia.
Qed.

(* ---- What the join has stored ----------------------------------------------------------------------------------- *)

Section Join.
Context {E : Events}.

(* After each event a source promises at least its time less how late it may be; its promises do not decrease. *)
Fixpoint prompt (late bound : Z) (l : list token) : Prop :=
  match l with
  | [] => True
  | t :: more => bound <= only (bounds t)
      /\ match payload t with Some p => moment p <= only (bounds t) + late | None => True end
      /\ prompt late (only (bounds t)) more
  end.

Lemma prompt_prefix : forall late a b bound, prompt late bound (a ++ b) -> prompt late bound a.
Proof. intros late a b. induction a as [|t a IH]; simpl; intros bound H; auto. destruct H as (H1 & H2 & H3). auto. Qed.
Lemma prompt_alpha : forall late own l bound, prompt late bound l -> prompt late bound (map (alpha_answer own) l).
Proof.
  intros late own l. induction l as [|t l IH]; simpl; intros bound H; auto. destruct H as (H1 & H2 & H3).
  repeat split; auto. destruct (payload t) as [p|]; auto. destruct (meets own p); auto.
Qed.

Section Stored.
Variables (minima maxima : list Z) (condition : partial -> bool) (late_left late_right : Z).
Notation join := (TwoInput false minima maxima condition).

Definition as_promised (d : data) : Prop :=
  Forall (fun p => moment p <= only (left_bounds d) + late_left) (left d)
  /\ Forall (fun q => moment q <= right_bound d + late_right) (right d).

Lemma what_is_stored : forall l d, Forall (fun x => fst x < 2)%nat l ->
  prompt late_left (only (left_bounds d)) (taken 0 l) -> prompt late_right (right_bound d) (taken 1 l) ->
  as_promised d ->
  let d' := fst (run join d l) in
  part_of (left d') (left d ++ lefts l) /\ part_of (right d') (right d ++ rights l) /\ as_promised d'.
Proof.
  induction l as [|[slot t] l IH]; intros d F PL PR AP.
  - simpl. unfold lefts, rights. simpl. rewrite !app_nil_r.
    split; [apply part_of_refl|split; [apply part_of_refl|auto]].
  - inversion F; subst. simpl fst in *. cbn [run activate]. unfold two_input_step.
    destruct (two_input_change false minima maxima condition d slot t) as [after results] eqn:C.
    destruct AP as [APl APr]. assert (slot = 0 \/ slot = 1)%nat as [-> | ->] by (simpl in H1; lia).
    + change (taken 0 ((0%nat, t) :: l)) with (t :: taken 0 l) in PL.
      change (taken 1 ((0%nat, t) :: l)) with (taken 1 l) in PR. destruct PL as (B & Pt & PL).
      rewrite lefts_left, rights_left.
      assert (S : left_bounds after = bounds t /\ right_bound after = right_bound d
        /\ part_of (left after) (left d ++ match payload t with Some p => [p] | None => [] end)
        /\ part_of (right after) (right d)).
      { simpl in C. unfold join_left in C. destruct (payload t) as [p|]; inversion C; subst; simpl.
        - split; auto. split; auto. split; [|apply part_of_filter].
          destruct (live_left minima maxima (right_bound d) p); [apply part_of_refl|apply part_of_app_left].
        - split; auto. split; auto. rewrite app_nil_r. split; [apply part_of_refl|apply part_of_filter]. }
      destruct S as (S1 & S2 & S3 & S4).
      assert (AP' : as_promised after).
      { unfold as_promised. rewrite S1, S2. split.
        - apply part_of_all with (1 := S3). apply Forall_app. split.
          + eapply Forall_impl; [|exact APl]. simpl. intros. lia.
          + destruct (payload t); auto.
        - apply part_of_all with (1 := S4). auto. }
      specialize (IH after H2). rewrite S1, S2 in IH. specialize (IH PL PR AP').
      destruct (run join after l) as [d' o']. simpl in *. destruct IH as (IL & IR & IA). split; [|split; [|exact IA]].
      * eapply part_of_trans; [exact IL|]. destruct (payload t) as [p|].
        -- replace (left d ++ p :: lefts l) with ((left d ++ [p]) ++ lefts l) by (rewrite <- app_assoc; auto).
           apply part_of_app; [auto|apply part_of_refl].
        -- rewrite app_nil_r in S3. apply part_of_app; [auto|apply part_of_refl].
      * eapply part_of_trans; [exact IR|]. apply part_of_app; [auto|apply part_of_refl].
    + change (taken 1 ((1%nat, t) :: l)) with (t :: taken 1 l) in PR.
      change (taken 0 ((1%nat, t) :: l)) with (taken 0 l) in PL. destruct PR as (B & Pt & PR).
      rewrite lefts_right, rights_right.
      assert (S : left_bounds after = left_bounds d /\ right_bound after = only (bounds t)
        /\ part_of (right after) (right d ++ match payload t with Some p => [p] | None => [] end)
        /\ part_of (left after) (left d)).
      { simpl in C. unfold join_right in C. destruct (payload t) as [q|]; inversion C; subst; simpl.
        - split; auto. split; auto. split; [|apply part_of_filter].
          destruct (live_right minima (left_bounds d) q); [apply part_of_refl|apply part_of_app_left].
        - split; auto. split; auto. rewrite app_nil_r. split; [apply part_of_refl|apply part_of_filter]. }
      destruct S as (S1 & S2 & S3 & S4).
      assert (AP' : as_promised after).
      { unfold as_promised. rewrite S1, S2. split.
        - apply part_of_all with (1 := S4). auto.
        - apply part_of_all with (1 := S3). apply Forall_app. split.
          + eapply Forall_impl; [|exact APr]. simpl. intros. lia.
          + destruct (payload t); auto. }
      specialize (IH after H2). rewrite S1, S2 in IH. specialize (IH PL PR AP').
      destruct (run join after l) as [d' o']. simpl in *. destruct IH as (IL & IR & IA). split; [|split; [|exact IA]].
      * eapply part_of_trans; [exact IL|]. apply part_of_app; [auto|apply part_of_refl].
      * eapply part_of_trans; [exact IR|]. destruct (payload t) as [q|].
        -- replace (right d ++ q :: rights l) with ((right d ++ [q]) ++ rights l) by (rewrite <- app_assoc; auto).
           apply part_of_app; [auto|apply part_of_refl].
        -- rewrite app_nil_r in S3. apply part_of_app; [auto|apply part_of_refl].
Qed.
End Stored.

(* ---- From a source to a side of the join ------------------------------------------------------------------------ *)

Lemma an_entry_of_one_source_passes_all : forall n l d, length (left_bounds d) = 1%nat ->
  Forall (fun x => fst x < 1)%nat l -> honest 1 (map snd l) ->
  Forall (fun p => of_template n p = true) (payloads (map snd l)) -> snd (run (Entry n 1) d l) = map snd l.
Proof.
  intros n l. induction l as [|[slot t] l IH]; intros d L F H T; auto. inversion F; subst. simpl in H2.
  replace slot with 0%nat by lia. simpl in H. destruct H as (B & Pt & K & H). unfold payloads in T. simpl in T.
  apply Forall_app in T as [T1 T]. cbn [run activate]. unfold entry_step.
  assert (match payload t with Some p => negb (of_template n p) | None => false end = false) as ->.
  { destruct (payload t); auto. inversion T1; subst. rewrite H4. auto. }
  specialize (IH (Data (replaced (left_bounds d) 0 (only (bounds t))) (right_bound d) (left d) (right d) (reported d))).
  simpl in IH. rewrite replaced_length in IH. specialize (IH L H3 H T).
  destruct (run (Entry n 1) _ l) as [d' o']. simpl in *. rewrite IH. f_equal.
  destruct (left_bounds d) as [|x [|? ?]]; try discriminate. simpl.
  destruct t as [[|b [|? ?]] p]; try discriminate. auto.
Qed.

Section Side.
Variables (net : network) (queues : nat -> list token).

Lemma all_that_comes_is_somewhere : forall c logs sent arrived e a j k q n own,
  explained net queues c logs sent arrived ->
  nth_error net e = Some (Vertex (Entry n 1) [External q]) ->
  nth_error net a = Some (Vertex (Alpha own) [Internal e]) -> reads net j k (Internal a) = true ->
  honest 1 (queues q) -> Forall (fun p => of_template n p = true) (payloads (queues q)) ->
  map (alpha_answer own) (queues q) = taken k (logs j) ++ inbox c j k ++ outbox c a
    ++ map (alpha_answer own) (inbox c a 0%nat ++ outbox c e ++ inbox c e 0%nat ++ queue c q).
Proof.
  intros c logs sent arrived e a j k q n own X Ve Va R H T.
  pose proof (the_inboxes _ _ _ _ _ _ X j k _ R) as J. simpl in J.
  assert (Ra : reads net a 0 (Internal e) = true) by (apply reads_spec; eexists; split; [exact Va|reflexivity]).
  pose proof (the_inboxes _ _ _ _ _ _ X a 0%nat _ Ra) as Ja. simpl in Ja.
  assert (Re : reads net e 0 (External q) = true) by (apply reads_spec; eexists; split; [exact Ve|reflexivity]).
  pose proof (the_inboxes _ _ _ _ _ _ X e 0%nat _ Re) as Je. simpl in Je.
  pose proof (the_queues _ _ _ _ _ _ X q) as Q.
  pose proof (the_slots _ _ _ _ _ _ X a _ Va) as Sa. pose proof (the_slots _ _ _ _ _ _ X e _ Ve) as Se. simpl in Sa, Se.
  pose proof (the_data _ _ _ _ _ _ X a _ Va) as Da. pose proof (the_data _ _ _ _ _ _ X e _ Ve) as De. simpl in Da, De.
  assert (W : queues q = map snd (logs e) ++ inbox c e 0%nat ++ queue c q).
  { rewrite one_slot by auto. rewrite app_assoc, Je. auto. }
  rewrite W in H, T. rewrite payloads_app in T. apply honest_prefix in H. apply Forall_app in T as [T _].
  pose proof (an_entry_of_one_source_passes_all n (logs e) (initial (Entry n 1)) eq_refl Se H T) as P.
  unfold initial in P. simpl in P. rewrite De in P. simpl in P.
  assert (A : answered (alpha_answer own) (Alpha own)).
  { intros d slot t. simpl. unfold alpha_step, alpha_answer. auto. }
  pose proof (run_answered _ _ A (logs a) (initial (Alpha own))) as M. unfold initial in M. rewrite Da in M.
  inversion M as [[M1 M2]]. rewrite one_slot in M2 by auto.
  rewrite W, <- P. rewrite <- (app_assoc (sent e)). rewrite <- Ja. rewrite <- !app_assoc.
  rewrite map_app, <- M2, <- J. rewrite <- !app_assoc. auto.
Qed.
End Side.

(* ---- The join of two patterns, a source each -------------------------------------------------------------------- *)

Section Two.
Variables (ta tb : nat) (own_a own_b : event -> bool) (joint : partial -> bool) (l u reach : Z).
Definition the_join_of_two : network :=
  [Vertex (Entry ta 1) [External 0]; Vertex (Entry tb 1) [External 1]; Vertex (Alpha own_a) [Internal 0];
   Vertex (Alpha own_b) [Internal 1]; Vertex (TwoInput false [l] [u] joint) [Internal 2; Internal 3];
   Vertex Terminal [Internal 4]].
Notation net := the_join_of_two.

(* It is what a rule of two patterns compiles to, if each is of a template of its own that one source sends
   (specification: network-shape). *)
Theorem a_rule_of_two_patterns_compiles_to_that_join : forall queues_of, ta <> tb -> queues_of ta = [0%nat] ->
  queues_of tb = [1%nat] ->
  graph (compile queues_of [Stratum [ta; tb] [Rule ta own_a [Link false tb own_b joint [(l, u)]] [] None []]]) = net.
Proof.
  intros queues_of N A B. apply Nat.eqb_neq in N.
  unfold compile, add_stratum, add_entry, add_rule, add_link, add_two_input, found. simpl.
  rewrite A, B, Nat.eqb_refl. simpl. rewrite N, Nat.eqb_refl. reflexivity.
Qed.

Lemma reads_two : forall i k s, reads net i k s = true -> In (i, k, s)
  [(0, 0, External 0); (1, 0, External 1); (2, 0, Internal 0); (3, 0, Internal 1); (4, 0, Internal 2);
   (4, 1, Internal 3); (5, 0, Internal 4)]%nat.
Proof.
  intros i k s R. apply reads_spec in R as (v & V & S).
  destruct i as [|[|[|[|[|[|i]]]]]]; simpl in V; try (inversion V; subst; simpl in S); [..|destruct i; discriminate];
    destruct k as [|[|k]]; simpl in S; try (destruct k; discriminate); try discriminate; inversion S; subst;
    simpl; auto 10.
Qed.

Hypothesis Windows : - reach <= l <= reach /\ - reach <= u <= reach.

Lemma the_join_is_sound : sound_network net reach.
Proof.
  intros i v V. destruct i as [|[|[|[|[|[|i]]]]]]; simpl in V; [..|destruct i; discriminate]; inversion V; subst;
    constructor; simpl; auto; try (intros; discriminate).
  - intros j [H|[]]. discriminate.
  - intros n slots j _ [H|[]]. discriminate.
  - intros j [H|[]]. discriminate.
  - intros n slots j _ [H|[]]. discriminate.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
  - split; auto. split; [discriminate|]. split; auto. split; constructor; auto; lia.
  - intros j [H|[H|[]]]; inversion H; subst; (split; [lia|]); eexists; split; reflexivity.
  - exists 2%nat. auto.
  - intros j [H|[]]. inversion H; subst. split; [lia|]. eexists. split; reflexivity.
Qed.

Variables (queues : nat -> list token) (limit : nat -> limits).
Variables (n_a n_b : nat) (period_a period_b late_a late_b : Z) (size_a size_b : nat).
Hypothesis Honest : forall q, honest 1 (queues q).
Hypothesis Of_a : Forall (fun p => of_template ta p = true) (payloads (queues 0%nat)).
Hypothesis Of_b : Forall (fun p => of_template tb p = true) (payloads (queues 1%nat)).
Hypothesis End_a : ended infinity (queues 0%nat).
Hypothesis End_b : ended infinity (queues 1%nat).
Hypothesis Far : horizon + reach < infinity.
Hypothesis Rate_a : (0 < n_a)%nat /\ 0 < period_a /\ rated n_a period_a (map moment (payloads (queues 0%nat))).
Hypothesis Rate_b : (0 < n_b)%nat /\ 0 < period_b /\ rated n_b period_b (map moment (payloads (queues 1%nat))).
Hypothesis Prompt_a : prompt late_a (- infinity) (queues 0%nat).
Hypothesis Prompt_b : prompt late_b (- infinity) (queues 1%nat).
Hypothesis One_fits : forall i, fits_in (inbox_room (limit i)) 1 = true /\ fits_in (outbox_room (limit i)) 1 = true.
Hypothesis A_step_fits : forall k, (k <= size_a /\ k <= fit_into n_a period_a (u - l)
    \/ k <= size_b /\ k <= fit_into n_b period_b (u - l))%nat -> fits_in (outbox_room (limit 4%nat)) k = true.
Hypothesis Size_a : left_room (limit 4%nat) = Some size_a /\ (0 < size_a)%nat.
Hypothesis Size_b : right_room (limit 4%nat) = Some size_b /\ (0 < size_b)%nat.
Hypothesis Wide : u - l + late_a + late_b < span n_a period_a size_a + span n_b period_b size_b.

Lemma fits_less : forall r m n, fits_in r n = true -> (m <= n)%nat -> fits_in r m = true.
Proof. clear. intros [c|] m n H L; auto. simpl in *. apply Nat.leb_le in H. apply Nat.leb_le. lia. Qed.

Lemma counted_in_a_window : forall n p times_of x y (f : partial -> bool) (ps : list partial),
  rated n p times_of -> 0 < p -> part_of (map moment ps) times_of ->
  (forall q, In q ps -> f q = true -> between x y (moment q) = true) ->
  (length (filter f ps) <= fit_into n p (y - x))%nat.
Proof.
  intros n p L x y f ps R P Pt B. destruct (Z.le_gt_cases x y) as [Le|Gt].
  - eapply Nat.le_trans; [|apply (so_many_events_fit_into_a_window n p L x y R P Le)].
    eapply Nat.le_trans; [|apply part_of_length, part_of_filtered, Pt].
    clear Pt. induction ps as [|q ps IH]; simpl; auto. pose proof (B q (or_introl eq_refl)) as Bq.
    specialize (IH (fun q I => B q (or_intror I))). destruct (f q).
    + rewrite Bq by auto. simpl. lia.
    + destruct (between x y (moment q)); simpl; lia.
  - rewrite filter_none; [simpl; lia|]. apply Forall_forall. intros q I. destruct (f q) eqn:F; auto.
    specialize (B q I F). unfold between in B. apply andb_true_iff in B. rewrite !Z.leb_le in B. lia.
Qed.

Lemma span_more : forall n p a b, 0 < p -> (0 < n)%nat -> (a <= b)%nat -> span n p a <= span n p b.
Proof.
  intros n p a b P N L. unfold span. apply Z.mul_le_mono_nonneg_l; [lia|]. apply Z.div_le_mono; lia.
Qed.

(* Room is asked for before anything is stored. *)
Lemma no_history_is_overfull : forall c, reaches net limit (start net queues) c ->
  (length (left (state c 4%nat)) <= size_a /\ length (right (state c 4%nat)) <= size_b)%nat.
Proof.
  intros c R. induction R as [|c a c' R [IHa IHb] T]; [simpl; lia|]. destruct a as [q|i k|i]; unfold takes in T.
  - destruct (queue c q); [discriminate|]. destruct (room_at_all net limit c (External q)); inversion T; subst. auto.
  - destruct (nth_error net i) as [v|] eqn:V; [|discriminate]. destruct (inbox c i k) as [|t rest]; [discriminate|].
    destruct (waits v (limit i) (state c i) k t) eqn:W; [discriminate|].
    destruct (activate (kind_of v) (state c i) k t) as [d o] eqn:Ac.
    destruct (fits_in (outbox_room (limit i)) (length (outbox c i ++ o))); inversion T; subst. simpl state.
    destruct (Nat.eq_dec 4 i) as [<-|N]; [|rewrite updated_other by auto; auto]. rewrite updated_same.
    simpl in V. inversion V; subst v. unfold waits in W. simpl kind_of in *. cbv iota in W. simpl in Ac.
    unfold two_input_step, two_input_change in Ac. destruct Size_a as [Sa _], Size_b as [Sb _]. destruct k as [|k].
    + unfold join_left in Ac. destruct (payload t) as [p|]; inversion Ac; subst; simpl left; simpl right.
      * split; [|eapply Nat.le_trans; [apply filter_length|auto]].
        destruct (live_left [l] [u] (right_bound (state c 4%nat)) p); auto. rewrite andb_true_r in W.
        simpl andb in W. apply negb_false_iff in W. rewrite Sa in W. unfold fits_in in W. apply Nat.leb_le in W.
        rewrite app_length. simpl. lia.
      * split; [auto|]. eapply Nat.le_trans; [apply filter_length|auto].
    + unfold join_right in Ac. destruct (payload t) as [p|]; inversion Ac; subst; simpl left; simpl right.
      * split; [eapply Nat.le_trans; [apply filter_length|auto]|].
        destruct (live_right [l] (left_bounds (state c 4%nat)) p); auto.
        simpl andb in W. apply negb_false_iff in W. rewrite Sb in W. unfold fits_in in W. apply Nat.leb_le in W.
        rewrite app_length. simpl. lia.
      * split; [|auto]. eapply Nat.le_trans; [apply filter_length|auto].
  - destruct (outbox c i); [discriminate|]. destruct (room_at_all net limit c (Internal i)); inversion T; subst. auto.
Qed.

Section Run.
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token).
Hypothesis Sized : (length (left (state c 4%nat)) <= size_a /\ length (right (state c 4%nat)) <= size_b)%nat.
Hypothesis X : explained net queues c logs sent arrived.
Let d := state c 4%nat.

Lemma the_state_of_the_join :
  only_live [l] [u] d /\ stored_widths [l] d /\ length (left_bounds d) = 1%nat
  /\ (ended infinity (taken 0 (logs 4%nat)) -> Forall (fun b => infinity <= b) (left_bounds d))
  /\ (ended infinity (taken 1 (logs 4%nat)) -> infinity <= right_bound d)
  /\ part_of (map moment (left d)) (map moment (payloads (queues 0%nat)))
  /\ part_of (map moment (right d)) (map moment (payloads (queues 1%nat)))
  /\ as_promised late_a late_b d.
Proof.
  pose proof (all_that_comes_is_somewhere net queues c logs sent arrived 0 2 4 0 0 ta own_a X eq_refl eq_refl eq_refl
    (Honest 0%nat) Of_a) as A.
  pose proof (all_that_comes_is_somewhere net queues c logs sent arrived 1 3 4 1 1 tb own_b X eq_refl eq_refl eq_refl
    (Honest 1%nat) Of_b) as B.
  destruct (promises_kept net queues reach the_join_is_sound Honest c logs sent arrived X 4%nat _ eq_refl)
    as [[Hs Hh] _].
  simpl in Hs. assert (H0 : honest 1 (taken 0 (logs 4%nat))) by (apply (Hh 0%nat); auto).
  assert (H1 : honest 1 (taken 1 (logs 4%nat))) by (apply (Hh 1%nat); auto).
  destruct (initial_ready [l] [u] joint false (logs 4%nat) H0 H1 Hs) as [Rd St].
  assert (Lv : only_live [l] [u] (initial (node [l] [u] joint false))) by (split; constructor).
  pose proof (two_input_after [l] [u] joint eq_refl false (logs 4%nat) _ Rd St Lv) as T.
  pose proof (the_data _ _ _ _ _ _ X 4%nat _ eq_refl) as D. simpl kind_of in D. unfold node in T. rewrite D in T.
  destruct T as (T1 & T2 & T3 & T4 & T5 & _).
  assert (Pa := Prompt_a). apply (prompt_alpha late_a own_a) in Pa. rewrite A in Pa. apply prompt_prefix in Pa.
  assert (Pb := Prompt_b). apply (prompt_alpha late_b own_b) in Pb. rewrite B in Pb. apply prompt_prefix in Pb.
  destruct (what_is_stored [l] [u] joint late_a late_b (logs 4%nat) (initial (TwoInput false [l] [u] joint)) Hs) as
    (W1 & W2 & W3); [exact Pa|exact Pb|split; constructor|].
  rewrite D in W1, W2, W3. simpl in W1, W2, W3.
  assert (Qa : part_of (lefts (logs 4%nat)) (payloads (queues 0%nat))).
  { unfold lefts. eapply part_of_trans; [|apply (part_of_filter _ (meets own_a))]. rewrite <- alpha_payloads, A,
      payloads_app.
    apply part_of_app_left. }
  assert (Qb : part_of (rights (logs 4%nat)) (payloads (queues 1%nat))).
  { unfold rights. eapply part_of_trans; [|apply (part_of_filter _ (meets own_b))]. rewrite <- alpha_payloads, B,
      payloads_app.
    apply part_of_app_left. }
  split; [exact T1|]. split; [exact T2|]. split; [exact T3|]. split; [auto|]. split; [auto|].
  split; [apply part_of_map; eapply part_of_trans; [exact W1|exact Qa]|].
  split; [apply part_of_map; eapply part_of_trans; [exact W2|exact Qb]|exact W3].
Qed.

Hypothesis Stuck : final net limit c.

Lemma room_where_empty : forall s, (forall i k, reads net i k s = true -> inbox c i k = []) ->
  room_at_all net limit c s = true.
Proof.
  intros s H. unfold room_at_all. apply forallb_forall. intros [i k] I. unfold readers in I.
  apply filter_In in I as [_ R]. simpl in *. rewrite (H i k R). simpl. apply One_fits.
Qed.
Lemma nothing_to_send : forall i, (forall i' k, reads net i' k (Internal i) = true -> inbox c i' k = []) ->
  outbox c i = [].
Proof.
  intros i H. specialize (Stuck (Propagate i)). unfold takes in Stuck. destruct (outbox c i); auto.
  rewrite room_where_empty in Stuck by auto. discriminate.
Qed.
Lemma nothing_outside : forall q, (forall i' k, reads net i' k (External q) = true -> inbox c i' k = []) ->
  queue c q = [].
Proof.
  intros q H. specialize (Stuck (Arrive q)). unfold takes in Stuck. destruct (queue c q); auto.
  rewrite room_where_empty in Stuck by auto. discriminate.
Qed.
Lemma what_waits : forall i v k t rest, nth_error net i = Some v -> inbox c i k = t :: rest ->
  waits v (limit i) (state c i) k t = true
  \/ fits_in (outbox_room (limit i)) (length (outbox c i ++ snd (activate (kind_of v) (state c i) k t))) = false.
Proof.
  intros i v k t rest V I. specialize (Stuck (Process i k)). unfold takes in Stuck. rewrite V, I in Stuck.
  destruct (waits v (limit i) (state c i) k t); auto. right.
  destruct (activate (kind_of v) (state c i) k t) as [d' o]. simpl.
  destruct (fits_in (outbox_room (limit i)) (length (outbox c i ++ o))); auto. discriminate.
Qed.
Lemma nothing_to_take : forall i v k, nth_error net i = Some v -> outbox c i = [] ->
  (forall t, waits v (limit i) (state c i) k t = false) ->
  (forall t, (length (snd (activate (kind_of v) (state c i) k t)) <= 1)%nat) -> inbox c i k = [].
Proof.
  intros i v k V O W L. destruct (inbox c i k) as [|t rest] eqn:I; auto.
  destruct (what_waits i v k t rest V I) as [H|H].
  - rewrite W in H. discriminate.
  - rewrite O in H. simpl in H. rewrite (fits_less _ _ 1 (proj2 (One_fits i)) (L t)) in H. discriminate.
Qed.

Ltac the_reader R := apply reads_two in R; simpl in R;
  repeat (destruct R as [R|R]; [inversion R; subst; clear R|]); try contradiction.

Lemma an_alpha_takes_all : forall i own j, nth_error net i = Some (Vertex (Alpha own) [Internal j]) ->
  outbox c i = [] -> inbox c i 0%nat = [].
Proof.
  intros i own j V O. apply (nothing_to_take _ _ _ V O).
  - intros t. unfold waits. simpl. destruct (payload t); auto.
  - intros t. simpl. lia.
Qed.
Lemma an_entry_takes_all : forall i n q, nth_error net i = Some (Vertex (Entry n 1) [External q]) -> outbox c i = [] ->
  inbox c i 0%nat = [].
Proof.
  intros i n q V O. apply (nothing_to_take _ _ _ V O).
  - intros t. unfold waits. simpl. rewrite Z.leb_refl, andb_false_r. destruct (payload t); auto.
  - intros t. simpl. unfold entry_step. destruct (match payload t with Some p => negb (of_template n p) | None => false
      end); simpl; lia.
Qed.

Lemma nothing_below : inbox c 5%nat 0%nat = [] /\ outbox c 4%nat = [].
Proof.
  assert (T : inbox c 5%nat 0%nat = []).
  { apply nothing_to_take with (v := Vertex Terminal [Internal 4]); auto.
    apply nothing_to_send. intros i' k R. the_reader R. }
  split; auto. apply nothing_to_send. intros i' k R. the_reader R. auto.
Qed.

Lemma nothing_above_a : inbox c 4%nat 0%nat = [] -> outbox c 2%nat = [] /\ inbox c 2%nat 0%nat = []
  /\ outbox c 0%nat = [] /\ inbox c 0%nat 0%nat = [] /\ queue c 0%nat = [].
Proof.
  intros I. assert (O2 : outbox c 2%nat = []) by (apply nothing_to_send; intros i' k R; the_reader R; auto).
  assert (I2 : inbox c 2%nat 0%nat = []) by (eapply an_alpha_takes_all; [reflexivity|auto]).
  assert (O0 : outbox c 0%nat = []) by (apply nothing_to_send; intros i' k R; the_reader R; auto).
  assert (I0 : inbox c 0%nat 0%nat = []) by (eapply an_entry_takes_all; [reflexivity|auto]).
  repeat split; auto. apply nothing_outside. intros i' k R. the_reader R. auto.
Qed.
Lemma nothing_above_b : inbox c 4%nat 1%nat = [] -> outbox c 3%nat = [] /\ inbox c 3%nat 0%nat = []
  /\ outbox c 1%nat = [] /\ inbox c 1%nat 0%nat = [] /\ queue c 1%nat = [].
Proof.
  intros I. assert (O2 : outbox c 3%nat = []) by (apply nothing_to_send; intros i' k R; the_reader R; auto).
  assert (I2 : inbox c 3%nat 0%nat = []) by (eapply an_alpha_takes_all; [reflexivity|auto]).
  assert (O0 : outbox c 1%nat = []) by (apply nothing_to_send; intros i' k R; the_reader R; auto).
  assert (I0 : inbox c 1%nat 0%nat = []) by (eapply an_entry_takes_all; [reflexivity|auto]).
  repeat split; auto. apply nothing_outside. intros i' k R. the_reader R. auto.
Qed.

Lemma first_of_slot_has_one_event : forall k t rest p, (k < 2)%nat -> inbox c 4%nat k = t :: rest ->
  payload t = Some p -> length p = 1%nat.
Proof.
  intros k t rest p L I P.
  assert (H : exists j, (j = 2 \/ j = 3)%nat /\ reads net 4 k (Internal j) = true).
  { destruct k as [|[|k]]; [exists 2%nat|exists 3%nat|lia]; auto. }
  destruct H as (j & J & R). pose proof (the_inboxes _ _ _ _ _ _ X 4%nat k _ R) as Eq. simpl in Eq. rewrite I in Eq.
  assert (Hj : honest 1 (sent j)).
  { assert (V : exists own e, nth_error net j = Some (Vertex (Alpha own) [Internal e])).
    { destruct J as [-> | ->]; eexists; eexists; reflexivity. }
    destruct V as (own & e & V).
    destruct (promises_kept net queues reach the_join_is_sound Honest c logs sent arrived X j _ V) as [_ H].
    apply honest_prefix with (outbox c j). apply H. auto. }
  rewrite <- Eq in Hj. apply honest_app in Hj as (_ & Hj & _). simpl in Hj. destruct Hj as (_ & Hp & _).
  rewrite P in Hp. auto.
Qed.

Lemma moment_of_one : forall p, length p = 1%nat -> opens [l] p = moment p + l /\ closes [u] p = moment p + u.
Proof. intros [|e [|e' p]] L; try discriminate. auto. Qed.

Lemma what_a_left_token_makes_fits : forall t rest, inbox c 4%nat 0%nat = t :: rest ->
  fits_in (outbox_room (limit 4%nat)) (length (snd (activate (TwoInput false [l] [u] joint) d 0 t))) = true.
Proof.
  intros t rest I. simpl. unfold two_input_step, two_input_change, join_left.
  destruct (payload t) as [p|] eqn:P; simpl snd; [|apply One_fits].
  pose proof (first_of_slot_has_one_event 0 t rest p ltac:(lia) I P) as Lp.
  destruct (moment_of_one p Lp) as [Op Cl].
  destruct the_state_of_the_join as (_ & _ & _ & _ & _ & _ & Pt & _). destruct Rate_b as (_ & Pb & Rb).
  assert (Few : (length (matching_right [l] [u] joint (right d) p) <= fit_into n_b period_b (u - l))%nat).
  { replace (u - l) with ((moment p + u) - (moment p + l)) by lia. unfold matching_right.
    apply counted_in_a_window with (1 := Rb); auto. intros q _ M. unfold Nodes.matches in M.
    apply andb_true_iff in M as [M _]. rewrite Op, Cl in M. exact M. }
  pose proof (as_tokens_length (map (fun q => p ++ q) (matching_right [l] [u] joint (right d) p))) as T.
  rewrite map_length in T.
  match goal with |- fits_in _ (length (as_tokens _ ?b)) = true => specialize (T b) end.
  set (m := length (matching_right [l] [u] joint (right d) p)) in Few.
  destruct (Nat.le_gt_cases m 1) as [S|S].
  - eapply fits_less; [apply One_fits|]. apply (Nat.le_trans _ (Nat.max 1 m)); [exact T|lia].
  - assert (Held : (m <= size_b)%nat) by (eapply Nat.le_trans; [apply filter_length|apply Sized]).
    eapply fits_less; [apply A_step_fits; right; split; [exact Held|exact Few]|].
    apply (Nat.le_trans _ (Nat.max 1 m)); [exact T|lia].
Qed.

Lemma what_a_right_token_makes_fits : forall t rest, inbox c 4%nat 1%nat = t :: rest ->
  fits_in (outbox_room (limit 4%nat)) (length (snd (activate (TwoInput false [l] [u] joint) d 1 t))) = true.
Proof.
  intros t rest I. simpl. unfold two_input_step, two_input_change, join_right.
  destruct (payload t) as [q|] eqn:P; simpl snd; [|apply One_fits].
  destruct the_state_of_the_join as (_ & [Wl _] & _ & _ & _ & Pt & _). destruct Rate_a as (_ & Pa & Ra).
  assert (Few : (length (matching_left [l] [u] joint (left d) q) <= fit_into n_a period_a (u - l))%nat).
  { replace (u - l) with ((moment q - l) - (moment q - u)) by lia. unfold matching_left.
    apply counted_in_a_window with (1 := Ra); auto. intros p Ip M. unfold Nodes.matches in M.
    rewrite Forall_forall in Wl. destruct (moment_of_one p (Wl p Ip)) as [Op Cl].
    apply andb_true_iff in M as [M _]. rewrite Op, Cl in M. unfold in_window in M. unfold between.
    rewrite andb_true_iff, !Z.leb_le in *. lia. }
  pose proof (as_tokens_length (map (fun p => p ++ q) (matching_left [l] [u] joint (left d) q))) as T.
  rewrite map_length in T.
  match goal with |- fits_in _ (length (as_tokens _ ?b)) = true => specialize (T b) end.
  set (m := length (matching_left [l] [u] joint (left d) q)) in Few.
  destruct (Nat.le_gt_cases m 1) as [S|S].
  - eapply fits_less; [apply One_fits|]. apply (Nat.le_trans _ (Nat.max 1 m)); [exact T|lia].
  - assert (Held : (m <= size_a)%nat) by (eapply Nat.le_trans; [apply filter_length|apply Sized]).
    eapply fits_less; [apply A_step_fits; left; split; [exact Held|exact Few]|].
    apply (Nat.le_trans _ (Nat.max 1 m)); [exact T|lia].
Qed.

Lemma the_left_is_full : inbox c 4%nat 0%nat <> [] -> (size_a <= length (left d))%nat.
Proof.
  intros N. destruct (inbox c 4%nat 0%nat) as [|t rest] eqn:I; [easy|].
  destruct (what_waits 4 _ 0 t rest eq_refl I) as [W|W].
  - unfold waits in W. simpl kind_of in W. cbv iota in W. destruct (payload t); [|discriminate].
    apply andb_true_iff in W as [W _]. apply andb_true_iff in W as [_ W]. destruct Size_a as [S _]. rewrite S in W.
    unfold fits_in in W. apply negb_true_iff, Nat.leb_gt in W. unfold d. lia.
  - rewrite (proj2 nothing_below) in W. simpl kind_of in W. cbn [app] in W.
    fold d in W. rewrite (what_a_left_token_makes_fits t rest I) in W. discriminate.
Qed.
Lemma the_right_is_full : inbox c 4%nat 1%nat <> [] -> (size_b <= length (right d))%nat.
Proof.
  intros N. destruct (inbox c 4%nat 1%nat) as [|t rest] eqn:I; [easy|].
  destruct (what_waits 4 _ 1 t rest eq_refl I) as [W|W].
  - unfold waits in W. simpl kind_of in W. cbv iota in W. destruct (payload t); [|discriminate].
    apply andb_true_iff in W as [_ W]. destruct Size_b as [S _]. rewrite S in W.
    unfold fits_in in W. apply negb_true_iff, Nat.leb_gt in W. unfold d. lia.
  - rewrite (proj2 nothing_below) in W. simpl kind_of in W. cbn [app] in W.
    fold d in W. rewrite (what_a_right_token_makes_fits t rest I) in W. discriminate.
Qed.

(* What is stored on the left lies between the bound on right events less the greatest distance and what the left has
   promised; on the right, the other way round. *)
Lemma where_stored : exists b, left_bounds d = [b]
  /\ Forall (fun t => between (right_bound d - u) (b + late_a) t = true) (map moment (left d))
  /\ Forall (fun t => between (b + l) (right_bound d + late_b) t = true) (map moment (right d)).
Proof.
  destruct the_state_of_the_join as ([Ll Lr] & [Wl Wr] & Len & _ & _ & _ & _ & [Pl Pr]).
  destruct (left_bounds d) as [|b [|? ?]] eqn:B; try discriminate. exists b. split; auto. simpl in Pl.
  rewrite Forall_forall in Ll, Lr, Wl, Wr, Pl, Pr. split; apply Forall_map, Forall_forall.
  - intros p I. specialize (Ll p I). unfold live_left, may_be_met, is_stale in Ll.
    destruct (moment_of_one p (Wl p I)) as [_ Cl]. rewrite Cl in Ll.
    apply andb_true_iff in Ll as [_ Ll]. apply negb_true_iff, Z.ltb_ge in Ll. specialize (Pl p I). simpl in Pl.
    unfold between. rewrite andb_true_iff, !Z.leb_le. lia.
  - intros q I. specialize (Lr q I). unfold live_right, is_stale in Lr. apply negb_true_iff, Z.ltb_ge in Lr.
    specialize (Pr q I). unfold between. rewrite andb_true_iff, !Z.leb_le. unfold expiration_time in Lr. simpl in Lr.
    lia.
Qed.

Lemma not_both_wait : inbox c 4%nat 0%nat <> [] -> inbox c 4%nat 1%nat <> [] -> False.
Proof.
  intros Na Nb. apply the_left_is_full in Na. apply the_right_is_full in Nb.
  destruct where_stored as (b & _ & Fl & Fr). destruct the_state_of_the_join as (_ & _ & _ & _ & _ & Pa & Pb & _).
  destruct Rate_a as (Na0 & Pa0 & Ra), Rate_b as (Nb0 & Pb0 & Rb), Size_a as [_ Sa], Size_b as [_ Sb].
  assert (Ea : map moment (left d) <> []) by (destruct (left d); simpl in *; [lia|discriminate]).
  assert (Eb : map moment (right d) <> []) by (destruct (right d); simpl in *; [lia|discriminate]).
  pose proof (so_many_events_span_so_much _ _ _ _ _ (rated_part _ _ _ _ Pa Ra) Pa0 Na0 Ea Fl) as Spa.
  pose proof (so_many_events_span_so_much _ _ _ _ _ (rated_part _ _ _ _ Pb Rb) Pb0 Nb0 Eb Fr) as Spb.
  rewrite map_length in Spa, Spb.
  pose proof (span_more n_a period_a size_a (length (left d)) Pa0 Na0 Na).
  pose proof (span_more n_b period_b size_b (length (right d)) Pb0 Nb0 Nb). lia.
Qed.

Lemma times_are_far : forall p, length p = 1%nat -> - horizon <= moment p <= horizon.
Proof. intros [|e [|? ?]] L; try discriminate. apply within_horizon. Qed.

Lemma ended_through : forall own ts, ended infinity ts -> ended infinity (map (alpha_answer own) ts).
Proof. intros own ts. apply ended_map. auto. Qed.

Lemma a_drained_left_frees_the_right : inbox c 4%nat 0%nat = [] -> inbox c 4%nat 1%nat = [].
Proof.
  intros I. destruct (inbox c 4%nat 1%nat) as [|t rest] eqn:J; auto. exfalso.
  assert (F : (size_b <= length (right d))%nat) by (apply the_right_is_full; rewrite J; discriminate).
  destruct (nothing_above_a I) as (O2 & I2 & O0 & I0 & Q).
  pose proof (all_that_comes_is_somewhere net queues c logs sent arrived 0 2 4 0 0 ta own_a X eq_refl eq_refl eq_refl
    (Honest 0%nat) Of_a) as A.
  rewrite I, O2, I2, O0, I0, Q in A. simpl in A. rewrite app_nil_r in A.
  destruct the_state_of_the_join as (_ & [_ Wr] & _ & Ea & _). destruct where_stored as (b & B & _ & Fr).
  rewrite <- A in Ea. specialize (Ea (ended_through own_a _ End_a)). rewrite B in Ea. inversion Ea; subst.
  destruct Size_b as [_ Sb]. destruct (right d) as [|q h]; [simpl in F; lia|]. inversion Fr; inversion Wr; subst.
  pose proof (times_are_far q H7). unfold between in H3. apply andb_true_iff in H3 as [H3 _]. apply Z.leb_le in H3. lia.
Qed.
Lemma a_drained_right_frees_the_left : inbox c 4%nat 1%nat = [] -> inbox c 4%nat 0%nat = [].
Proof.
  intros I. destruct (inbox c 4%nat 0%nat) as [|t rest] eqn:J; auto. exfalso.
  assert (F : (size_a <= length (left d))%nat) by (apply the_left_is_full; rewrite J; discriminate).
  destruct (nothing_above_b I) as (O2 & I2 & O0 & I0 & Q).
  pose proof (all_that_comes_is_somewhere net queues c logs sent arrived 1 3 4 1 1 tb own_b X eq_refl eq_refl eq_refl
    (Honest 1%nat) Of_b) as A.
  rewrite I, O2, I2, O0, I0, Q in A. simpl in A. rewrite app_nil_r in A.
  destruct the_state_of_the_join as (_ & [Wl _] & _ & _ & Eb & _). destruct where_stored as (b & B & Fl & _).
  rewrite <- A in Eb. specialize (Eb (ended_through own_b _ End_b)).
  destruct Size_a as [_ Sa]. destruct (left d) as [|p h]; [simpl in F; lia|]. inversion Fl; inversion Wl; subst.
  pose proof (times_are_far p H5). unfold between in H1. apply andb_true_iff in H1 as [H1 _]. apply Z.leb_le in H1. lia.
Qed.

Lemma at_rest : rested c.
Proof.
  assert (Ia : inbox c 4%nat 0%nat = []).
  { destruct (inbox c 4%nat 1%nat) eqn:J; [apply a_drained_right_frees_the_left; auto|].
    destruct (inbox c 4%nat 0%nat) eqn:I; auto. exfalso. apply not_both_wait; congruence. }
  pose proof (a_drained_left_frees_the_right Ia) as Ib.
  destruct (nothing_above_a Ia) as (_ & I2 & _ & I0 & _). destruct (nothing_above_b Ib) as (_ & I3 & _ & I1 & _).
  destruct nothing_below as [I5 _].
  assert (I : forall i k, inbox c i k = []).
  { intros i k. destruct (reads_or_not net i k) as [[s R]|R].
    - the_reader R; auto.
    - apply (no_inbox _ _ _ _ _ _ X i k R). }
  split; [|split]; auto.
  - intros q. apply nothing_outside. auto.
  - intros i. apply nothing_to_send. auto.
Qed.
End Run.

(* PARTE/PROC, PARTE/PROP (specification: size-viable, capacities, blocked): under every schedule, where no step is
   possible any more nothing is left. *)
Theorem the_join_of_two_patterns_never_blocks : forall c, reaches net limit (start net queues) c ->
  final net limit c -> rested c.
Proof.
  intros c R F. destruct (every_configuration_is_explained net queues limit c R) as (logs & sent & arrived & X).
  eapply at_rest; eauto using no_history_is_overfull.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: size-viable, sound-agrees): and all that matches has been reported. *)
Theorem the_join_of_two_patterns_reports_all_that_matches : forall c, reaches net limit (start net queues) c ->
  final net limit c -> Permutation (reported (state c 5%nat)) (nth 5 (values queues net) []).
Proof.
  intros c R F. destruct (every_configuration_is_explained net queues limit c R) as (logs & sent & arrived & X).
  assert (At : rested c) by (eapply at_rest; eauto using no_history_is_overfull).
  assert (Own : own_templates net queues).
  { intros i v n slots q V K I. destruct i as [|[|[|[|[|[|i]]]]]]; simpl in V; [..|destruct i; discriminate];
      inversion V; subst; simpl in *; try discriminate; inversion K; subst; destruct I as [I|[]]; inversion I; subst;
      auto. }
  assert (Ends : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (queues q)).
  { intros i v q V I. destruct i as [|[|[|[|[|[|i]]]]]]; simpl in V; [..|destruct i; discriminate];
      inversion V; subst; simpl in I; repeat (destruct I as [I|I]; [inversion I; subst; auto|]); contradiction. }
  assert (Near : horizon + reach + lags net (length net) < infinity) by (unfold lags; simpl; lia).
  apply a_run_has_sent_something in R as [s R].
  exact (a_rested_run_has_reported_and_sent_the_values net queues reach the_join_is_sound Honest Own Ends Near limit c
    s R
    At 5%nat _ eq_refl).
Qed.
End Two.
End Join.

(* ---- The condition is met, and needed --------------------------------------------------------------------------- *)

(* a: A, b: B when b in a [0 ms, 0 ms], one event a millisecond of each: sizes of 2 and 1 are enough, by the theorem
   under every schedule; with 1 and 1 the machine blocks. *)
Definition of_sizes (a b : nat) : counterexample :=
  Counterexample (without_sets A any [a_further B] [Constraint 1 0 0 0] []) [(A, 0); (A, 1); (B, 0); (B, 1)]
    (with_room_for a b 1 1).
Definition two_and_one (_ : nat) : limits := Limits (Some 2%nat) (Some 1%nat) (Some 1%nat) (Some 1%nat) true.
Definition the_two_sources := its_queues (of_sizes 2 1).

(* PARTE/PROC, PARTE/PROP (specification: size-viable). *)
Theorem sizes_of_two_and_one_never_block : forall c,
  let net := the_join_of_two 0 1 any any any 0 0 in
  reaches net (two_and_one) (start net the_two_sources) c ->
  final net (two_and_one) c -> rested c.
Proof.
  assert (Le : forall x y, (x <=? y) = true -> x <= y) by (intros; apply Z.leb_le; auto).
  assert (Rated : forall a b, a <> b -> rated 1 1 [a; b]).
  { intros a b N x. simpl. destruct (between x (x + 1 - 1) a) eqn:Ba, (between x (x + 1 - 1) b) eqn:Bb; simpl; try lia.
    unfold between in *. apply andb_true_iff in Ba, Bb. rewrite !Z.leb_le in *. lia. }
  intros c net R F. eapply the_join_of_two_patterns_never_blocks with (reach := 1) (n_a := 1%nat) (n_b := 1%nat)
    (period_a := 1) (period_b := 1) (late_a := 0) (late_b := 0) (size_a := 2%nat) (size_b := 1%nat)
    (queues := the_two_sources) (limit := two_and_one); eauto.
  - lia.
  - intros [|[|[|[|q]]]]; try (simpl; repeat split; auto; repeat constructor; apply Le; reflexivity).
  - repeat constructor.
  - repeat constructor.
  - eexists [_; _], _. split; [reflexivity|repeat constructor; apply Le; reflexivity].
  - eexists [_; _], _. split; [reflexivity|repeat constructor; apply Le; reflexivity].
  - reflexivity.
  - split; [lia|split; [lia|]]. apply Rated. discriminate.
  - split; [lia|split; [lia|]]. apply Rated. discriminate.
  - simpl. repeat split; apply Le; reflexivity.
  - simpl. repeat split; apply Le; reflexivity.
  - intros k [[_ H]|[_ H]]; vm_compute in H; vm_compute; destruct k as [|[|k]]; auto; lia.
  - reflexivity.
Qed.

(* PARTE/PROC (specification: size-tight). *)
Theorem sizes_of_one_and_one_block : made_of_it (of_sizes 1 1) sound = Blocked [[[1; 3]]]
  /\ made_of_it (of_sizes 2 1) sound = Ended [[[1; 3]; [2; 4]]].
Proof. vm_compute. auto. Qed.
