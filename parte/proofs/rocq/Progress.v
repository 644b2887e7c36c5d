(* Why sizes never block (docs/bounds.md, "No deadlock with C + 1"): in a run without a further step, follow the side
   that has seen the least promise of the sources. Its history is full, or nothing waits anywhere
   (specification: size-viable, blocked). *)
From Parte Require Export Prompt.

Notation marked := (token * Z)%type.
Notation marked_log := (list (nat * marked)).

Section Progress.
Context {E : Events}.

(* ---- Marks ---------------------------------------------------------------------------------------------------------
   A token is marked with the least promise of the external sources above that its node had seen when it sent the token;
   of the tokens of one step the last has the mark of the node after the step, those before it the mark before. *)
Definition bare (l : marked_log) : log := map (fun x => (fst x, fst (snd x))) l.
Definition of_slot (k : nat) (l : marked_log) : list marked := map snd (filter (fun x => Nat.eqb (fst x) k) l).
Definition last_mark (l : list marked) : Z := last (map snd l) (- infinity).
Definition seen (l : marked_log) (k : nat) : Z := last_mark (of_slot k l).
Definition seen_by_all (slots : nat) (l : marked_log) : Z := lowest (map (seen l) (seq 0 slots)).
Fixpoint marks (before after : Z) (o : list token) : list marked :=
  match o with [] => [] | [t] => [(t, after)] | t :: more => (t, before) :: marks before after more end.
Fixpoint marked_run (k : kind) (slots : nat) (d : data) (past l : marked_log) : list marked :=
  match l with
  | [] => []
  | x :: more =>
      let '(d', o) := activate k d (fst x) (fst (snd x)) in
      marks (seen_by_all slots past) (seen_by_all slots (past ++ [x])) o ++ marked_run k slots d' (past ++ [x]) more
  end.
Definition marked_output (k : kind) (slots : nat) (l : marked_log) : list marked :=
  marked_run k slots (initial k) [] l.

Lemma of_two_prefixes : forall A (a b c d : list A), a ++ b = c ++ d -> (length c <= length a)%nat ->
  exists e, a = c ++ e.
Proof.
  intros A. induction a as [|x a IH]; intros b c d Eq L; destruct c as [|y c]; simpl in *; try lia; eauto.
  inversion Eq; subst. destruct (IH b c d) as [e ->]; auto; [lia|]. eauto.
Qed.
Lemma marks_bare : forall a b o, map fst (marks a b o) = o.
Proof. intros a b. induction o as [|t [|t' o] IH]; auto. change (t :: map fst (marks a b (t' :: o)) = t :: t' :: o).
  rewrite IH. auto. Qed.
Lemma last_mark_snoc : forall l x, last_mark (l ++ [x]) = snd x.
Proof. intros. unfold last_mark. rewrite map_app. simpl. apply last_last. Qed.
Lemma bare_app : forall a b, bare (a ++ b) = bare a ++ bare b.
Proof. intros. apply map_app. Qed.
Lemma of_slot_app : forall k a b, of_slot k (a ++ b) = of_slot k a ++ of_slot k b.
Proof. intros. unfold of_slot. rewrite filter_app, map_app. auto. Qed.
Lemma of_slot_snoc : forall k a slot x, of_slot k (a ++ [(slot, x)]) = if Nat.eqb slot k then of_slot k a ++ [x] else
  of_slot k a.
Proof. intros. rewrite of_slot_app. unfold of_slot at 2. simpl. destruct (Nat.eqb slot k); simpl; auto. apply app_nil_r.
  Qed.
Lemma of_slot_bare : forall k l, map fst (of_slot k l) = taken k (bare l).
Proof.
  intros k l. unfold of_slot, taken, bare. induction l as [|[s x] l IH]; simpl; auto.
  destruct (Nat.eqb s k); simpl; rewrite IH; auto.
Qed.
Lemma marked_run_app : forall k n l l' d past, marked_run k n d past (l ++ l') =
  marked_run k n d past l ++ marked_run k n (fst (run k d (bare l))) (past ++ l) l'.
Proof.
  intros k n. induction l as [|[s [t g]] l IH]; intros l' d past; simpl; [rewrite app_nil_r; auto|].
  destruct (activate k d s t) as [d' o]. rewrite IH, <- !app_assoc. simpl.
  destruct (run k d' (bare l)). auto.
Qed.
Lemma marked_output_snoc : forall k n l slot t g, marked_output k n (l ++ [(slot, (t, g))]) =
  marked_output k n l ++ marks (seen_by_all n l) (seen_by_all n (l ++ [(slot, (t, g))]))
    (snd (activate k (state_after k (bare l)) slot t)).
Proof.
  intros. unfold marked_output. rewrite marked_run_app. simpl. unfold state_after.
  destruct (activate k (fst (run k (initial k) (bare l))) slot t). rewrite app_nil_r. auto.
Qed.
Lemma marked_output_bare : forall k n l, map fst (marked_output k n l) = computed_by k (bare l).
Proof.
  intros k n. induction l as [|[s [t g]] l IH] using rev_ind; auto.
  rewrite marked_output_snoc, bare_app. simpl bare. rewrite computed_snoc. etransitivity; [apply map_app|].
  f_equal; [exact IH|apply marks_bare].
Qed.

Lemma of_slot_length : forall k l, length (of_slot k l) = length (taken k (bare l)).
Proof. intros. rewrite <- of_slot_bare. symmetry. apply map_length. Qed.
Lemma marked_output_length : forall k n l, length (marked_output k n l) = length (computed_by k (bare l)).
Proof. intros. rewrite <- (marked_output_bare k n l). symmetry. apply map_length. Qed.

(* Marks never decrease. *)
Definition marks_rise (l : list marked) : Prop := forall a b c, l = a ++ b ++ c -> last_mark a <= last_mark (a ++ b).
Lemma rise_prefix : forall a b, marks_rise (a ++ b) -> marks_rise a.
Proof. intros a b R x y z Eq. apply (R x y (z ++ b)). subst. rewrite <- !app_assoc. auto. Qed.
Lemma rise_last : forall a b, marks_rise (a ++ b) -> last_mark a <= last_mark (a ++ b).
Proof. intros a b R. apply (R a b []). rewrite app_nil_r. auto. Qed.
Lemma rise_snoc : forall l x, marks_rise l -> last_mark l <= snd x -> marks_rise (l ++ [x]).
Proof.
  intros l x R L a b c Eq. destruct c as [|y c _] using rev_ind.
  - rewrite app_nil_r in Eq. rewrite <- Eq, last_mark_snoc. destruct b as [|y b _] using rev_ind.
    + rewrite app_nil_r in Eq. subst a. apply Z.eq_le_incl, last_mark_snoc.
    + rewrite app_assoc in Eq. apply app_inj_tail in Eq as [Eq _]. subst l.
      pose proof (rise_last _ _ R). lia.
  - rewrite !app_assoc in Eq. apply app_inj_tail in Eq as [Eq _]. rewrite <- app_assoc in Eq. eapply R. eauto.
Qed.
Lemma rise_nil : marks_rise [].
Proof. intros a b c Eq. destruct a; [|discriminate]. destruct b; [|discriminate]. apply Z.le_refl. Qed.
Lemma rise_marks : forall o s a b, marks_rise s -> last_mark s <= a -> a <= b -> o <> [] ->
  marks_rise (s ++ marks a b o) /\ last_mark (s ++ marks a b o) = b.
Proof.
  induction o as [|t o IH]; intros s a b R L Ab N; [easy|]. destruct o as [|t' o].
  - simpl. rewrite last_mark_snoc. split; auto. apply rise_snoc; auto. simpl. lia.
  - change (marks a b (t :: t' :: o)) with ([(t, a)] ++ marks a b (t' :: o)). rewrite app_assoc. apply IH; auto.
    + apply rise_snoc; auto.
    + rewrite last_mark_snoc. simpl. lia.
    + discriminate.
Qed.

Lemma lowest_is_one : forall (f : nat -> Z) n, (0 < n)%nat -> exists k, (k < n)%nat /\ lowest (map f (seq 0 n)) = f k.
Proof.
  assert (G : forall l (x : Z), In (fold_left Z.min l x) (x :: l)).
  { induction l as [|y l IH]; intros x; simpl; auto. destruct (IH (Z.min x y)) as [H|H]; auto.
    destruct (Z.min_spec x y) as [[_ M]|[_ M]]; rewrite M in *; auto. }
  intros f n L. destruct n as [|n]; [lia|].
  assert (I : In (lowest (map f (seq 0 (S n)))) (map f (seq 0 (S n)))) by apply G.
  apply in_map_iff in I as (k & Eq & I). apply in_seq in I. exists k. split; [lia|auto].
Qed.
Lemma lowest_of_all : forall (f : nat -> Z) n k, (k < n)%nat -> lowest (map f (seq 0 n)) <= f k.
Proof.
  intros f n k L. assert (N : map f (seq 0 n) <> []) by (destruct n; [lia|discriminate]).
  pose proof (proj1 (le_lowest _ _ N) (Z.le_refl _)) as F. rewrite Forall_forall in F. apply F, in_map, in_seq. lia.
Qed.

(* A node that answers every token passes its mark on. *)
Definition answers (k : kind) (l : log) : Prop :=
  forall a slot t b, l = a ++ (slot, t) :: b -> snd (activate k (state_after k a) slot t) <> [].
Lemma a_node_passes_its_mark_on : forall k n l, (0 < n)%nat -> answers k (bare l) ->
  (forall s, (s < n)%nat -> marks_rise (of_slot s l)) ->
  marks_rise (marked_output k n l) /\ last_mark (marked_output k n l) = seen_by_all n l.
Proof.
  intros k n. induction l as [|[s [t g]] l IH] using rev_ind; intros N A R.
  - split; [apply rise_nil|]. destruct (lowest_is_one (seen []) n N) as (j & _ & Eq). unfold seen_by_all. rewrite Eq.
    auto.
  - assert (A' : answers k (bare l)).
    { intros a slot t' b Eq. apply (A a slot t' (b ++ [(s, t)])). rewrite bare_app, Eq, <- app_assoc. auto. }
    assert (R' : forall s', (s' < n)%nat -> marks_rise (of_slot s' l)).
    { intros s' L. specialize (R s' L). rewrite of_slot_app in R. eapply rise_prefix; eauto. }
    destruct (IH N A' R') as [R1 L1]. rewrite marked_output_snoc. apply rise_marks; auto; [rewrite L1; apply
      Z.le_refl| |].
    + destruct (lowest_is_one (seen (l ++ [(s, (t, g))])) n N) as (j & Lj & Eq).
      pose proof (lowest_of_all (seen l) n j Lj) as H. specialize (R j Lj). rewrite of_slot_app in R.
      apply rise_last in R. unfold seen in Eq at 2, H at 2. rewrite of_slot_app in Eq. unfold seen_by_all.
      eapply Z.le_trans; [exact H|]. eapply Z.le_trans; [exact R|]. apply Z.eq_le_incl. symmetry. exact Eq.
    + apply (A (bare l) s t []). rewrite bare_app. auto.
Qed.

(* ---- A whole network ----------------------------------------------------------------------------------------------
  *)

Section Network.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.

Definition slots_of (v : vertex) : nat := length (sources v).
Definition with_own_marks (l : list token) : list marked := map (fun t => (t, only (bounds t))) l.
Definition sends (ml : nat -> marked_log) (j : nat) : list marked :=
  match nth_error net j with Some v => marked_output (kind_of v) (slots_of v) (ml j) | None => [] end.
Definition comes (ml : nat -> marked_log) (s : source) : list marked :=
  match s with External q => with_own_marks (queues q) | Internal j => sends ml j end.
Record marks_of (n : nat) (logs : nat -> log) (ml : nat -> marked_log) : Prop := MarksOf {
  of_logs : forall i, (i < n)%nat -> bare (ml i) = logs i;
  of_sources : forall i k s, (i < n)%nat -> reads net i k s = true -> exists rest, of_slot k (ml i) ++ rest = comes ml
    s }.

Lemma a_log_can_be_marked : forall slots (streams : nat -> list marked) (l : log),
  Forall (fun x => fst x < slots)%nat l ->
  (forall k, (k < slots)%nat -> exists rest, taken k l ++ rest = map fst (streams k)) ->
  exists ml, bare ml = l /\ forall k, (k < slots)%nat -> exists rest, of_slot k ml ++ rest = streams k.
Proof.
  intros slots streams l. induction l as [|[s t] l IH] using rev_ind; intros F H.
  - exists []. split; auto. intros k _. exists (streams k). auto.
  - apply Forall_app in F as [F F']. apply Forall_inv in F'. simpl in F'. destruct IH as (ml & B & M); auto.
    { intros k L. destruct (H k L) as [r Eq]. rewrite taken_app, <- app_assoc in Eq. eauto. }
    destruct (H s F') as [r Eq]. destruct (M s F') as [r' Eq']. rewrite taken_snoc, Nat.eqb_refl in Eq.
    rewrite <- Eq', map_app, of_slot_bare, B, <- app_assoc in Eq. apply app_inv_head in Eq.
    destruct r' as [|[t' g] r']; [discriminate|]. simpl in Eq. inversion Eq; subst t'.
    exists (ml ++ [(s, (t, g))]). rewrite bare_app, B. split; auto. intros k L. rewrite of_slot_snoc.
    destruct (Nat.eqb s k) eqn:Q; auto. apply Nat.eqb_eq in Q. subst k. exists r'. rewrite <- app_assoc. auto.
Qed.

Section Run.
Variables (c : config) (logs : nat -> log) (sent arrived : nat -> list token).
Hypothesis X : explained net queues c logs sent arrived.

Lemma reads_below : forall i k j, reads net i k (Internal j) = true -> (j < i)%nat /\ (i < length net)%nat.
Proof.
  intros i k j R. apply reads_spec in R as (v & V & S). split.
  - destruct (its_sources _ _ i v (Net i v V) j) as (L & _); auto. eapply nth_error_In; eauto.
  - apply nth_error_Some. congruence.
Qed.

Lemma every_run_can_be_marked : exists ml, marks_of (length net) logs ml.
Proof.
  assert (G : forall n, (n <= length net)%nat -> exists ml, marks_of n logs ml).
  2: { apply (G (length net)). auto. }
  induction n as [|n IH]; intros L.
  - exists (fun _ => []). constructor; lia.
  - destruct IH as [ml M]; [lia|]. destruct (nth_error net n) as [v|] eqn:V; [|apply nth_error_None in V; lia].
    destruct (a_log_can_be_marked (slots_of v)
      (fun k => match nth_error (sources v) k with Some s => comes ml s | None => [] end) (logs n)) as (l & B & S).
    + apply (the_slots _ _ _ _ _ _ X n v V).
    + intros k Lk. destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|apply nth_error_None in Sk; unfold slots_of in
        *; lia].
      assert (R : reads net n k s = true) by (apply reads_spec; eauto).
      pose proof (the_inboxes _ _ _ _ _ _ X n k s R) as I. destruct s as [q|j]; simpl in I |- *.
      * exists (inbox c n k ++ queue c q). rewrite app_assoc, I, (the_queues _ _ _ _ _ _ X q).
        unfold with_own_marks. rewrite map_map, map_id. auto.
      * exists (inbox c n k ++ outbox c j). rewrite app_assoc, I. unfold sends.
        destruct (reads_below n k j R) as [Lj _]. destruct (nth_error net j) as [u|] eqn:U;
          [|apply nth_error_None in U; lia].
        rewrite marked_output_bare, (of_logs _ _ _ M j Lj). unfold computed_by.
        rewrite (the_data _ _ _ _ _ _ X j u U). auto.
    + exists (updated ml n l). constructor.
      * intros i Li. destruct (Nat.eq_dec i n) as [->|N]; [rewrite updated_same; auto|].
        rewrite updated_other by auto. apply M. lia.
      * intros i k s Li R. assert (Same : comes (updated ml n l) s = comes ml s).
        { destruct s as [q|j]; auto. simpl. unfold sends. destruct (reads_below i k j R) as [Lj _].
          rewrite updated_other by lia. auto. }
        rewrite Same. destruct (Nat.eq_dec i n) as [->|N].
        -- rewrite updated_same. pose proof R as R'. apply reads_spec in R' as (v' & V' & S').
           assert (v' = v) by congruence. subst v'. specialize (S k). rewrite S' in S. apply S.
           apply nth_error_Some. congruence.
        -- rewrite updated_other by auto. apply M; auto. lia.
Qed.

Lemma no_stranger_is_taken : forall i v, nth_error net i = Some v -> no_strangers (kind_of v) (logs i).
Proof.
  intros i v V. unfold no_strangers. destruct (kind_of v) as [n slots| | | | | |] eqn:Kv; auto.
  pose proof (the_slots _ _ _ _ _ _ X i v V) as Sl. pose proof (by_slots _ _ Sl) as B. apply payloads_permutation in B.
  rewrite payloads_flat_map in B. rewrite B. apply Forall_flat_map, Forall_forall. intros k Hk. apply in_seq in Hk.
  destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|apply nth_error_None in Sk; lia].
  assert (R : reads net i k s = true) by (apply reads_spec; eauto).
  pose proof (the_inboxes _ _ _ _ _ _ X i k s R) as T. pose proof (nth_error_In _ _ Sk) as I.
  enough (A : Forall (fun p => of_template n p = true) (payloads (origin sent arrived s))).
  { rewrite <- T, payloads_app in A. apply Forall_app in A. tauto. }
  destruct s as [q|j]; simpl.
  - pose proof (Own i v n slots q V Kv I) as A. rewrite <- (the_queues _ _ _ _ _ _ X q), payloads_app in A.
    apply Forall_app in A. tauto.
  - destruct (Network.its_template _ _ i v (Net i v V) n slots j Kv I) as (u & U & Em).
    pose proof (the_data _ _ _ _ _ _ X j u U) as D. destruct (kind_of u) as [| | | | |generate a lag|]; simpl in Em;
      try contradiction.
    rewrite (run_answered (production_answer generate a)) in D by (intros ? ? ?; auto). injection D as _ D.
    enough (A : Forall (fun p => of_template n p = true) (payloads (sent j ++ outbox c j))).
    { rewrite payloads_app in A. apply Forall_app in A. tauto. }
    rewrite <- D, production_payloads. apply emitted_only. auto.
Qed.

Lemma every_node_answers : forall i v, nth_error net i = Some v -> is_terminal (kind_of v) = false ->
  answers (kind_of v) (logs i).
Proof.
  intros i v V T a slot t b Eq. pose proof (no_stranger_is_taken i v V) as S. rewrite Eq in S.
  assert (A : forall l r (x : list Z), l = as_tokens r x -> l <> []).
  { intros l r x ->. destruct r; simpl; discriminate. }
  destruct (kind_of v) as [n slots|own|negated minima maxima own|minima maxima own|w own|g at_bounds lag|];
    simpl; try discriminate.
  - unfold entry_step. simpl in S. rewrite map_app, payloads_app in S. apply Forall_app in S as [_ S].
    unfold payloads in S. simpl in S. apply Forall_app in S as [S _]. destruct (payload t) as [p|]; [|discriminate].
    inversion S; subst. rewrite H1. discriminate.
  - unfold two_input_step. destruct (two_input_change negated minima maxima own _ slot t). eapply A. reflexivity.
  - unfold collect_step. destruct (collect_change minima maxima own _ slot t). eapply A. reflexivity.
Qed.

Lemma has_slots : forall i v, nth_error net i = Some v -> (0 < slots_of v)%nat.
Proof.
  intros i v V. pose proof (its_kind _ _ i v (Net i v V)) as W. unfold slots_of, widths in *.
  destruct (sources v); simpl in *; [|lia]. exfalso.
  destruct (kind_of v); simpl in W; try discriminate; try (destruct W as [_ W]; destruct slots; discriminate || lia);
    try (destruct W as [W _]; discriminate); try (destruct W as (w & W & _); discriminate).
  - destruct W as [L W]. destruct slots; [lia|discriminate].
  - destruct W as (w & W). discriminate.
Qed.

Variables (limit : nat -> limits) (ml : nat -> marked_log).
Hypothesis M : marks_of (length net) logs ml.
Hypothesis Steady : forall q, marks_rise (with_own_marks (queues q)).
Hypothesis End_of_all : forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity.

Lemma last_mark_of_its_own : forall l, last_mark (with_own_marks l) = last_promise l.
Proof.
  intros l. destruct l as [|t l _] using rev_ind; auto. rewrite last_promise_snoc. unfold with_own_marks.
  rewrite map_app. apply last_mark_snoc.
Qed.
Lemma a_slot_is_read : forall i v k, nth_error net i = Some v -> (k < slots_of v)%nat -> exists s, reads net i k s =
  true.
Proof.
  intros i v k V L. destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|apply nth_error_None in Sk; unfold slots_of in
    *; lia].
  exists s. apply reads_spec. eauto.
Qed.
Lemma reads_of : forall i k s, reads net i k s = true -> exists v, nth_error net i = Some v /\ (k < slots_of v)%nat
  /\ (i < length net)%nat.
Proof.
  intros i k s R. apply reads_spec in R as (v & V & S). exists v. split; auto. split; apply nth_error_Some; congruence.
Qed.

Lemma marks_of_a_source_rise : forall s, (forall j, s = Internal j -> forall v, nth_error net j = Some v ->
  is_terminal (kind_of v) = false -> marks_rise (sends ml j)) -> (exists i k, reads net i k s = true) ->
  marks_rise (comes ml s).
Proof.
  intros [q|j] H (i & k & R); simpl; auto. apply reads_spec in R as (v & V & S).
  destruct (its_sources _ _ i v (Net i v V) j) as (L & u & U & T); [eapply nth_error_In; eauto|]. eauto.
Qed.
Lemma what_a_node_sends : forall j v, nth_error net j = Some v -> is_terminal (kind_of v) = false ->
  marks_rise (sends ml j) /\ last_mark (sends ml j) = seen_by_all (slots_of v) (ml j).
Proof.
  intros j. induction j as [j IH] using lt_wf_ind. intros v V T.
  assert (Lj : (j < length net)%nat) by (apply nth_error_Some; congruence).
  unfold sends. rewrite V. apply a_node_passes_its_mark_on.
  - eapply has_slots; eauto.
  - rewrite (of_logs _ _ _ M j Lj). apply every_node_answers; auto.
  - intros k Lk. destruct (a_slot_is_read j v k V Lk) as [s R]. destruct (of_sources _ _ _ M j k s Lj R) as [r Eq].
    apply rise_prefix with r. rewrite Eq. apply marks_of_a_source_rise; eauto. intros j' -> u U Tu.
    apply (IH j' (proj1 (reads_below j k j' R)) u U Tu).
Qed.
Lemma what_comes_rises : forall s i k, reads net i k s = true -> marks_rise (comes ml s).
Proof.
  intros s i k R. apply marks_of_a_source_rise; eauto. intros j -> v V T. apply (what_a_node_sends j v V T).
Qed.
Lemma its_reader_has_seen_no_more : forall i v i' k', nth_error net i = Some v -> reads net i' k' (Internal i) = true ->
  seen (ml i') k' <= seen_by_all (slots_of v) (ml i)
  /\ (inbox c i' k' = [] -> outbox c i = [] -> seen (ml i') k' = seen_by_all (slots_of v) (ml i)).
Proof.
  intros i v i' k' V R. assert (T : is_terminal (kind_of v) = false).
  { apply reads_spec in R as (u & U & S).
    destruct (its_sources _ _ i' u (Net i' u U) i) as (_ & v' & V' & T); [eapply nth_error_In; eauto|]. congruence. }
  destruct (what_a_node_sends i v V T) as [R1 L1]. destruct (reads_of _ _ _ R) as (u & U & _ & Li').
  destruct (of_sources _ _ _ M i' k' _ Li' R) as [r Eq]. simpl in Eq. unfold seen. rewrite <- L1, <- Eq. split.
  - apply rise_last. rewrite Eq. auto.
  - intros I O. assert (r = []) as ->; [|rewrite app_nil_r; auto].
    pose proof (the_inboxes _ _ _ _ _ _ X i' k' _ R) as J. simpl in J. rewrite I, app_nil_r in J.
    apply (f_equal (@length marked)) in Eq. rewrite app_length, of_slot_length, (of_logs _ _ _ M i' Li'), J in Eq.
    unfold sends in Eq. rewrite V, marked_output_length in Eq.
    assert (Li : (i < length net)%nat) by (apply nth_error_Some; congruence).
    rewrite (of_logs _ _ _ M i Li) in Eq. unfold computed_by in Eq. rewrite (the_data _ _ _ _ _ _ X i v V), O,
      app_nil_r in Eq. simpl in Eq. destruct r; auto. simpl in Eq. lia.
Qed.
Lemma who_has_taken_all_has_seen_as_much : forall s i k i' k', reads net i k s = true -> reads net i' k' s = true ->
  inbox c i k = [] -> seen (ml i') k' <= seen (ml i) k.
Proof.
  intros s i k i' k' R R' I. destruct (reads_of _ _ _ R) as (v & V & _ & Li). destruct (reads_of _ _ _ R') as
    (v' & V' & _ & Li').
  destruct (of_sources _ _ _ M i k s Li R) as [r Eq], (of_sources _ _ _ M i' k' s Li' R') as [r' Eq'].
  pose proof (the_inboxes _ _ _ _ _ _ X i k s R) as J. rewrite I, app_nil_r in J.
  pose proof (the_inboxes _ _ _ _ _ _ X i' k' s R') as J'.
  assert (Len : (length (of_slot k' (ml i')) <= length (of_slot k (ml i)))%nat).
  { rewrite !of_slot_length, (of_logs _ _ _ M i Li), (of_logs _ _ _ M i' Li'), J, <- J', app_length. lia. }
  destruct (of_two_prefixes _ (of_slot k (ml i)) r (of_slot k' (ml i')) r') as [m P]; [congruence|exact Len|].
  unfold seen. rewrite P. apply rise_last. rewrite <- P. apply rise_prefix with r. rewrite Eq.
  eapply what_comes_rises; eauto.
Qed.

(* ---- Where no step is possible ------------------------------------------------------------------------------------
  *)

Definition has_seen_least (i k : nat) : Prop :=
  forall i' k' s, reads net i' k' s = true -> seen (ml i) k <= seen (ml i') k'.
Hypothesis Stuck : final net limit c.
Hypothesis One_fits : forall i, fits_in (inbox_room (limit i)) 1 = true.
Hypothesis A_step_fits : forall i v k t rest, nth_error net i = Some v -> inbox c i k = t :: rest ->
  fits_in (outbox_room (limit i)) (length (snd (activate (kind_of v) (state c i) k t))) = true.
Hypothesis Room_where_least_is_seen : forall i v k t rest, nth_error net i = Some v ->
  (forall n slots, kind_of v <> Entry n slots) -> inbox c i k = t :: rest -> has_seen_least i k ->
  waits v (limit i) (state c i) k t = false.

Lemma a_reader_holds_it_up : forall s, room_at_all net limit c s = false -> exists i k, reads net i k s = true /\
  inbox c i k <> [].
Proof.
  intros s R. assert (H : existsb (fun ik => negb (fits_in (inbox_room (limit (fst ik))) (S (length (inbox c (fst ik)
    (snd ik)))))) (readers net s) = true).
  { unfold room_at_all in R. induction (readers net s) as [|ik l IH]; simpl in *; [discriminate|].
    destruct (fits_in (inbox_room (limit (fst ik))) _); simpl in *; auto. }
  apply existsb_exists in H as ([i k] & I & N). exists i, k. unfold readers in I. apply filter_In in I as [_ I].
  split; auto. intros Z. simpl in N. rewrite Z in N. simpl in N. rewrite One_fits in N. discriminate.
Qed.
Lemma what_waits_to_be_sent : forall i, outbox c i <> [] -> exists i' k', reads net i' k' (Internal i) = true /\
  inbox c i' k' <> [].
Proof.
  intros i N. apply a_reader_holds_it_up. specialize (Stuck (Propagate i)). unfold takes in Stuck.
  destruct (outbox c i); [easy|]. destruct (room_at_all net limit c (Internal i)); auto. discriminate.
Qed.
Lemma what_waits_outside : forall q, queue c q <> [] -> exists i' k', reads net i' k' (External q) = true /\
  inbox c i' k' <> [].
Proof.
  intros q N. apply a_reader_holds_it_up. specialize (Stuck (Arrive q)). unfold takes in Stuck.
  destruct (queue c q); [easy|]. destruct (room_at_all net limit c (External q)); auto. discriminate.
Qed.

Lemma an_external_slot_has_seen_its_promise : forall i k q, reads net i k (External q) = true ->
  seen (ml i) k = last_promise (taken k (logs i)).
Proof.
  intros i k q R. destruct (reads_of _ _ _ R) as (v & V & _ & Li). destruct (of_sources _ _ _ M i k _ Li R) as [r Eq].
  simpl in Eq. unfold seen. rewrite <- last_mark_of_its_own. f_equal. rewrite <- (of_logs _ _ _ M i Li), <-
    of_slot_bare.
  assert (A : Forall (fun x : marked => x = (fst x, only (bounds (fst x)))) (of_slot k (ml i) ++ r)).
  { rewrite Eq. unfold with_own_marks. apply Forall_map, Forall_forall. auto. }
  apply Forall_app in A as [A _]. unfold with_own_marks. rewrite map_map. clear Eq. revert A.
  generalize (of_slot k (ml i)). intros l A. induction A as [|x l Hx A IH]; simpl; [auto|]. rewrite <- IH, <- Hx. auto.
Qed.
Lemma who_has_seen_least_has_its_turn : forall i v k t n slots, nth_error net i = Some v -> kind_of v = Entry n slots ->
  (k < slots_of v)%nat -> has_seen_least i k -> waits v (limit i) (state c i) k t = false.
Proof.
  intros i v k t n slots V K Lk Least. unfold waits. rewrite K.
  assert (W := its_kind _ _ i v (Net i v V)). rewrite K in W. simpl in W. destruct W as [_ W].
  assert (Ls : slots = slots_of v).
  { apply (f_equal (@length _)) in W. unfold widths in W. rewrite map_length, repeat_length in W. auto. }
  pose proof (the_slots _ _ _ _ _ _ X i v V) as Sl. pose proof (no_stranger_is_taken i v V) as St.
  rewrite K in St. simpl in St. fold (slots_of v) in Sl. rewrite <- Ls in *.
  destruct (entry_bounds_are_the_last n slots (logs i) Sl St) as [B _].
  pose proof (the_data _ _ _ _ _ _ X i v V) as D. rewrite K in D. unfold state_after in B. rewrite D in B. simpl in B.
  assert (Nth : forall s, (s < slots)%nat -> nth s (left_bounds (state c i)) 0 = last_promise (taken s (logs i))).
  { intros s Hs. rewrite B, nth_indep with (d' := last_promise (taken 0 (logs i))) by (rewrite map_length, seq_length;
      auto).
    rewrite (map_nth (fun s => last_promise (taken s (logs i)))), seq_nth by auto. auto. }
  destruct (existsb (Nat.eqb k) (external_slots v)) eqn:Ex; [|rewrite andb_false_r; destruct (payload t); auto].
  assert (Ext : forall k', In k' (external_slots v) -> exists q, reads net i k' (External q) = true /\ (k' <
    slots)%nat).
  { intros k' I. unfold external_slots in I. apply filter_In in I as [I F]. apply in_seq in I.
    destruct (nth_error (sources v) k') as [[q|j]|] eqn:S; try discriminate. exists q. split.
    - apply reads_spec. eauto.
    - unfold slots_of in Ls. lia. }
  apply existsb_exists in Ex as (k' & I & Q). apply Nat.eqb_eq in Q. subst k'.
  assert (Le : nth k (left_bounds (state c i)) 0 <=? lowest (map (fun k => nth k (left_bounds (state c i)) 0)
    (external_slots v)) = true).
  { apply Z.leb_le, le_lowest.
    - destruct (external_slots v); [contradiction|discriminate].
    - apply Forall_map, Forall_forall. intros k' I'. destruct (Ext k I) as (q & R & L), (Ext k' I') as (q' & R' & L').
      rewrite !Nth by auto. rewrite <- (an_external_slot_has_seen_its_promise i k q R),
        <- (an_external_slot_has_seen_its_promise i k' q' R'). eapply Least; eauto. }
  rewrite Le. rewrite andb_false_r. destruct (payload t); auto.
Qed.

Lemma nothing_waits_where_least_is_seen : forall n i k s, (length net - i <= n)%nat -> reads net i k s = true ->
  has_seen_least i k -> inbox c i k = [].
Proof.
  induction n as [|n IH]; intros i k s Ln R Least; destruct (reads_of _ _ _ R) as (v & V & Lk & Li); [lia|].
  destruct (inbox c i k) as [|t rest] eqn:I; auto. exfalso.
  destruct (outbox c i) as [|y o] eqn:O.
  - specialize (Stuck (Process i k)). unfold takes in Stuck. rewrite V, I in Stuck.
    assert (W : waits v (limit i) (state c i) k t = false).
    { destruct (kind_of v) as [m slots| | | | | |] eqn:K.
      - eapply who_has_seen_least_has_its_turn; eauto.
      - eapply Room_where_least_is_seen; eauto; intros; congruence.
      - eapply Room_where_least_is_seen; eauto; intros; congruence.
      - eapply Room_where_least_is_seen; eauto; intros; congruence.
      - eapply Room_where_least_is_seen; eauto; intros; congruence.
      - eapply Room_where_least_is_seen; eauto; intros; congruence.
      - eapply Room_where_least_is_seen; eauto; intros; congruence. }
    rewrite W in Stuck. pose proof (A_step_fits i v k t rest V I) as F.
    destruct (activate (kind_of v) (state c i) k t) as [d' o']. rewrite O in Stuck. simpl in *. rewrite F in Stuck.
    discriminate.
  - destruct (what_waits_to_be_sent i) as (i' & k' & R' & N); [rewrite O; discriminate|].
    apply N. destruct (its_reader_has_seen_no_more i v i' k' V R') as [L _].
    apply (IH i' k' (Internal i)); auto.
    + destruct (reads_below i' k' i R'). lia.
    + intros i2 k2 s2 R2. pose proof (lowest_of_all (seen (ml i)) (slots_of v) k Lk) as L2.
      specialize (Least i2 k2 s2 R2). unfold seen_by_all in L. lia.
Qed.
Lemma the_least_is_all : forall i k s, reads net i k s = true -> has_seen_least i k -> infinity <= seen (ml i) k.
Proof.
  intros i. induction i as [i IH] using lt_wf_ind. intros k s R Least.
  pose proof (nothing_waits_where_least_is_seen _ i k s (Nat.le_refl _) R Least) as I.
  assert (Pass : forall i' k', reads net i' k' s = true -> inbox c i' k' = []).
  { intros i' k' R'. apply (nothing_waits_where_least_is_seen _ i' k' s (Nat.le_refl _) R').
    intros i2 k2 s2 R2. pose proof (who_has_taken_all_has_seen_as_much s i k i' k' R R' I).
    specialize (Least i2 k2 s2 R2). lia. }
  destruct s as [q|j].
  - assert (Q : queue c q = []).
    { destruct (queue c q) as [|y l] eqn:Q; auto. destruct (what_waits_outside q) as (i' & k' & R' & N);
        [congruence|]. exfalso. auto. }
    rewrite (an_external_slot_has_seen_its_promise i k q R), <- (End_of_all i k q R).
    pose proof (the_inboxes _ _ _ _ _ _ X i k _ R) as J. simpl in J. rewrite I, app_nil_r in J.
    pose proof (the_queues _ _ _ _ _ _ X q) as A. rewrite Q, app_nil_r in A. rewrite J, A. lia.
  - assert (O : outbox c j = []).
    { destruct (outbox c j) as [|y l] eqn:O; auto. destruct (what_waits_to_be_sent j) as (i' & k' & R' & N);
        [congruence|]. exfalso. auto. }
    destruct (reads_below i k j R) as [Lj Li]. destruct (nth_error net j) as [u|] eqn:U;
      [|apply nth_error_None in U; lia].
    destruct (its_reader_has_seen_no_more j u i k U R) as [_ Eq]. rewrite (Eq I O).
    destruct (lowest_is_one (seen (ml j)) (slots_of u) (has_slots j u U)) as (k' & Lk' & Eq').
    destruct (a_slot_is_read j u k' U Lk') as [s' R']. unfold seen_by_all. rewrite Eq'. apply (IH j Lj k' s' R').
    intros i2 k2 s2 R2. rewrite <- Eq'. specialize (Least i2 k2 s2 R2). rewrite (Eq I O) in Least. unfold seen_by_all
      in Least.
    auto.
Qed.
Lemma nobody_has_seen_more : forall i k s, reads net i k s = true -> seen (ml i) k <= infinity.
Proof.
  intros i. induction i as [i IH] using lt_wf_ind. intros k s R. destruct (reads_of _ _ _ R) as (v & V & _ & Li).
  destruct s as [q|j].
  - destruct (of_sources _ _ _ M i k _ Li R) as [r Eq]. rewrite <- (End_of_all i k q R), <- last_mark_of_its_own.
    simpl in Eq. unfold seen. rewrite <- Eq. apply rise_last. rewrite Eq. auto.
  - destruct (reads_below i k j R) as [Lj _]. destruct (nth_error net j) as [u|] eqn:U; [|apply nth_error_None in U;
      lia].
    destruct (its_reader_has_seen_no_more j u i k U R) as [L _]. pose proof (has_slots j u U) as P.
    destruct (a_slot_is_read j u 0%nat U P) as [s' R']. pose proof (lowest_of_all (seen (ml j)) (slots_of u) 0%nat P).
    pose proof (IH j Lj 0%nat s' R'). unfold seen_by_all in L. lia.
Qed.
Lemma the_least_of : forall (f : nat * nat -> Z) l, l <> [] -> exists x, In x l /\ forall y, In y l -> f x <= f y.
Proof.
  intros f l. induction l as [|x l IH]; intros N; [easy|]. destruct l as [|y l].
  - exists x. split; [left; auto|]. intros y [->|[]]. lia.
  - destruct IH as (z & I & H); [discriminate|]. destruct (Z.le_gt_cases (f x) (f z)) as [L|L].
    + exists x. split; [left; auto|]. intros w [->|J]; [lia|]. specialize (H w J). lia.
    + exists z. split; [right; auto|]. intros w [->|J]; [lia|auto].
Qed.

Lemma nothing_is_left : rested c.
Proof.
  assert (In_all : forall i k s, reads net i k s = true -> In (i, k) (slots_of_all net)).
  { intros i k s R. destruct (reads_of _ _ _ R) as (v & V & Lk & Li). unfold slots_of_all. apply in_flat_map.
    exists i. split; [apply in_seq; lia|]. rewrite V. apply in_map, in_seq. unfold slots_of in Lk. lia. }
  assert (Read : forall i k, In (i, k) (slots_of_all net) -> exists s, reads net i k s = true).
  { intros i k I. unfold slots_of_all in I. apply in_flat_map in I as (i' & _ & I).
    destruct (nth_error net i') as [v|] eqn:V; [|contradiction]. apply in_map_iff in I as (k' & Eq & I).
    inversion Eq; subst. apply in_seq in I. eapply a_slot_is_read; eauto. unfold slots_of. lia. }
  assert (I : forall i k, inbox c i k = []).
  { intros i k. destruct (reads_or_not net i k) as [[s R]|R]; [|apply (no_inbox _ _ _ _ _ _ X i k R)].
    destruct (the_least_of (fun x => seen (ml (fst x)) (snd x)) (slots_of_all net)) as ([i0 k0] & I0 & L0).
    { intros Z. specialize (In_all i k s R). rewrite Z in In_all. contradiction. }
    destruct (Read i0 k0 I0) as [s0 R0]. simpl in L0.
    assert (Least : has_seen_least i0 k0).
    { intros i' k' s' R'. apply (L0 (i', k')). eauto. }
    pose proof (the_least_is_all i0 k0 s0 R0 Least). apply (nothing_waits_where_least_is_seen _ i k s (Nat.le_refl _)
      R).
    intros i' k' s' R'. pose proof (nobody_has_seen_more i k s R). specialize (Least i' k' s' R'). lia. }
  split; [|split]; auto.
  - intros q. destruct (queue c q) as [|t l] eqn:Q; auto. destruct (what_waits_outside q) as (i & k & _ & N);
      [congruence|]. exfalso. auto.
  - intros i. destruct (outbox c i) as [|t l] eqn:O; auto. destruct (what_waits_to_be_sent i) as (i' & k' & _ & N);
      [congruence|]. exfalso. auto.
Qed.
End Run.

(* PARTE/PROC, PARTE/PROP, under every schedule (specification: size-viable, blocked, entry-merge). Any network of
  rules,
   with negations, sets, strata and any number of sources, ends with nothing left, if no step has more results than its
   outbox has room for, and no event waits at a side that has seen the least promise: one that no other side in the
   network has seen less than. *)
Theorem a_network_with_room_where_the_least_is_seen_never_blocks : forall limit c,
  (forall q, marks_rise (with_own_marks (queues q))) ->
  (forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity) ->
  (forall i, fits_in (inbox_room (limit i)) 1 = true) ->
  (forall i v k t rest, nth_error net i = Some v -> inbox c i k = t :: rest ->
    fits_in (outbox_room (limit i)) (length (snd (activate (kind_of v) (state c i) k t))) = true) ->
  (forall logs sent arrived ml, explained net queues c logs sent arrived -> marks_of (length net) logs ml ->
    forall i v k t rest, nth_error net i = Some v -> (forall n slots, kind_of v <> Entry n slots) ->
    inbox c i k = t :: rest -> has_seen_least ml i k -> waits v (limit i) (state c i) k t = false) ->
  reaches net limit (start net queues) c -> final net limit c -> rested c.
Proof.
  intros limit c Steady Ends Inboxes Outboxes Room R F.
  destruct (every_configuration_is_explained net queues limit c R) as (logs & sent & arrived & X).
  destruct (every_run_can_be_marked c logs sent arrived X) as [ml M].
  eapply nothing_is_left; eauto.
Qed.

Definition never_waited (limit : nat -> limits) (logs : nat -> log) : Prop := forall i v a k t b,
  nth_error net i = Some v -> logs i = a ++ (k, t) :: b ->
  waits v (limit i) (state_after (kind_of v) a) k t = false.
(* PARTE/PROC (specification: capacities, entry-merge). What was taken did not have to wait. *)
Theorem every_run_never_waited : forall limit c, reaches net limit (start net queues) c ->
  exists logs sent arrived, explained net queues c logs sent arrived /\ never_waited limit logs.
Proof.
  intros limit c R. remember (start net queues) as c0. induction R as [|c a c' R IH T]; subst.
  - exists (fun _ => []), (fun _ => []), (fun _ => []). split; [apply start_explained|].
    intros i v [|? ?] k t b V Eq; discriminate.
  - destruct IH as (logs & sent & arrived & X & N); auto.
    destruct (step_explained net queues limit _ _ _ _ _ _ X T) as (logs' & sent' & arrived' & X' & G).
    exists logs', sent', arrived'. split; auto.
    destruct G as [(q & t & -> & _)|[(i & [k t] & -> & -> & -> & L)|(i & t & -> & _)]]; auto.
    destruct (nth_error net i) as [v|] eqn:V; [|apply nth_error_None in V; lia].
    assert (Lk : (k < length (sources v))%nat).
    { pose proof (the_slots _ _ _ _ _ _ X' i v V) as S. rewrite updated_same in S. apply Forall_app in S as [_ S].
      inversion S; auto. }
    destruct (a_slot_is_read i v k V Lk) as [s Rs].
    pose proof (the_inboxes _ _ _ _ _ _ X i k s Rs) as J. pose proof (the_inboxes _ _ _ _ _ _ X' i k s Rs) as J'.
    rewrite updated_same, taken_snoc, Nat.eqb_refl, <- app_assoc in J'. rewrite <- J' in J.
    apply app_inv_head in J. simpl in J.
    assert (W : waits v (limit i) (state c i) k t = false).
    { destruct a as [q|i' k'|i']; unfold takes in T.
      - destruct (queue c q); [discriminate|]. destruct (room_at_all net limit c (External q)); inversion T; subst.
        simpl in J. unfold delivered in J. destruct (reads net i k (External q)); apply (f_equal (@length _)) in J;
          simpl in J; rewrite ?app_length in J; simpl in J; lia.
      - destruct (nth_error net i') as [v'|] eqn:V'; [|discriminate]. destruct (inbox c i' k') as [|t' rest] eqn:I;
          [discriminate|]. destruct (waits v' (limit i') (state c i') k' t') eqn:W; [discriminate|].
        destruct (activate (kind_of v') (state c i') k' t') as [d o].
        destruct (fits_in (outbox_room (limit i')) _); inversion T; subst; clear T. simpl in J.
        unfold without_first in J. destruct (Nat.eqb i i' && Nat.eqb k k') eqn:Q.
        + apply andb_true_iff in Q as [Q Q']. apply Nat.eqb_eq in Q, Q'. subst. rewrite I in J. inversion J; subst.
          congruence.
        + apply (f_equal (@length _)) in J. simpl in J. lia.
      - destruct (outbox c i'); [discriminate|]. destruct (room_at_all net limit c (Internal i')); inversion T; subst.
        simpl in J. unfold delivered in J. destruct (reads net i k (Internal i')); apply (f_equal (@length _)) in J;
          simpl in J; rewrite ?app_length in J; simpl in J; lia. }
    intros i2 v2 a2 k2 t2 b2 V2 Eq. destruct (Nat.eq_dec i2 i) as [->|Ne].
    2: { rewrite updated_other in Eq by auto. eauto. }
    rewrite updated_same in Eq. assert (v2 = v) by congruence. subst v2.
    destruct b2 as [|y b2 _] using rev_ind.
    + apply app_inj_tail in Eq as [Eq Eq']. inversion Eq'; subst. unfold state_after.
      rewrite (the_data _ _ _ _ _ _ X i v V). auto.
    + rewrite app_comm_cons, app_assoc in Eq. apply app_inj_tail in Eq as [Eq _]. eauto.
Qed.

End Network.
End Progress.
