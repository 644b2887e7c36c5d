(* Networks whose nodes may say less than they know, and later: any step may send its results in any order, promise less
   with each, leave tokens without a payload out, and send its bounds once more at any time (specification:
   unbounded-runs, bounds-of-a-step, propagated-bounds). The machine of Network.v is one of these, which is proved
   below; that of parte/semantics/partelang/unbounded.py, which sends most bounds once in many arrivals, is one by
   reading. Adequacy is proved here, for all of them at once. *)
From Parte Require Export Network.

Section Weakened.
Context {E : Events}.

(* ---- What a node may send in place of what a step has computed --------------------------------------------------- *)

Definition last_bounds (o : list token) : option (list Z) := match rev o with t :: _ => Some (bounds t) | [] => None
  end.

(* Each token promises at most what is true of the results behind it and of all that comes after the step. *)
Fixpoint promises_at_most (b : list Z) (o : list token) : Prop :=
  match o with
  | [] => True
  | t :: later => below (bounds t) (lowered b (payloads later)) /\ promises_at_most b later
  end.
(* PARTE/ENTRY*, PARTE/ALPHA-*, PARTE/JOIN-*, PARTE/NOT-*, PARTE/SET-*, PARTE/PROD* (specification: unbounded-runs). *)
Definition may_send (computed o : list token) : Prop :=
  Permutation (payloads computed) (payloads o) /\
  match last_bounds computed with Some b => promises_at_most b o | None => o = [] end.

(* All that a node may have sent after what it took. *)
Definition computed_by (k : kind) (l : log) : list token := snd (run k (initial k) l).
Definition state_after (k : kind) (l : log) : data := fst (run k (initial k) l).
Inductive says (k : kind) : log -> list token -> Prop :=
| Says_nothing : says k [] []
| Says_results : forall l o slot t o', says k l o ->
    may_send (snd (activate k (state_after k l) slot t)) o' -> says k (l ++ [(slot, t)]) (o ++ o')
| Says_again : forall l o b b', says k l o -> last_bounds (computed_by k l) = Some b -> below b' b ->
    says k l (o ++ [Token b' None]).

Lemma last_bounds_last : forall o t, last_bounds (o ++ [t]) = Some (bounds t).
Proof. intros. unfold last_bounds. rewrite rev_app_distr. auto. Qed.
Lemma last_bounds_app : forall a b, last_bounds (a ++ b) = match last_bounds b with Some x => Some x | None =>
  last_bounds
  a end.
Proof.
  intros a b. destruct b as [|t b] using rev_ind; [rewrite app_nil_r; auto|].
  rewrite app_assoc, !last_bounds_last. auto.
Qed.
Lemma last_bounds_none : forall o, last_bounds o = None -> o = [].
Proof. intros o H. destruct o as [|t o] using rev_ind; auto. rewrite last_bounds_last in H. discriminate. Qed.
Lemma last_bounds_some : forall o b, last_bounds o = Some b -> exists before t, o = before ++ [t] /\ bounds t = b.
Proof.
  intros o b H. destruct o as [|t o] using rev_ind; [discriminate|]. rewrite last_bounds_last in H. inversion H. eauto.
Qed.
Lemma ended_last : forall x l, ended x l <-> exists b, last_bounds l = Some b /\ Forall (fun y => x <= y) b.
Proof.
  intros x l. split.
  - intros (before & t & -> & F). exists (bounds t). rewrite last_bounds_last. auto.
  - intros (b & L & F). apply last_bounds_some in L as (before & t & -> & <-). exists before, t. auto.
Qed.

Lemma computed_snoc : forall k l slot t, computed_by k (l ++ [(slot, t)]) =
  computed_by k l ++ snd (activate k (state_after k l) slot t).
Proof.
  intros. unfold computed_by, state_after. rewrite run_app. destruct (run k (initial k) l) as [d o]. simpl.
  destruct (activate k d slot t) as [d' o']. simpl. rewrite app_nil_r. auto.
Qed.
Lemma state_snoc : forall k l slot t, state_after k (l ++ [(slot, t)]) = fst (activate k (state_after k l) slot t).
Proof.
  intros. unfold state_after. rewrite run_app. destruct (run k (initial k) l) as [d o]. simpl.
  destruct (activate k d slot t) as [d' o']. auto.
Qed.

(* ---- A machine that leaves nothing out is one of them ------------------------------------------------------------ *)

Lemma results_in_sequence_are_true : forall results b, promises_at_most b (in_sequence results b).
Proof.
  induction results as [|r rest IH]; simpl; intros b; auto. split; auto.
  replace (payloads (in_sequence rest b)) with rest; [apply below_refl|].
  destruct rest as [|q rest]; auto. symmetry. apply (payloads_as_tokens (q :: rest) b).
Qed.
Lemma last_of_as_tokens : forall results b, last_bounds (as_tokens results b) = Some b.
Proof. intros. destruct (as_tokens_last results b) as (before & t & -> & <-). apply last_bounds_last. Qed.
Lemma as_tokens_may_be_sent : forall results b, may_send (as_tokens results b) (as_tokens results b).
Proof.
  intros results b. split; auto. rewrite last_of_as_tokens. destruct results as [|r rest].
  - simpl. split; auto. apply below_refl.
  - apply results_in_sequence_are_true.
Qed.
Lemma one_may_be_sent : forall t, may_send [t] [t].
Proof. intros t. split; auto. unfold last_bounds. simpl. split; auto. apply below_refl. Qed.

Lemma what_is_computed_may_be_sent : forall k d slot t, may_send (snd (activate k d slot t)) (snd (activate k d slot
  t)).
Proof.
  intros k d slot t. destruct k; simpl; auto using one_may_be_sent.
  - unfold entry_step. destruct (payload t) as [p|]; [destruct (of_template of p)|]; simpl; auto using one_may_be_sent.
    split; simpl; auto.
  - unfold two_input_step. destruct (two_input_change _ _ _ _ _ _ _). apply as_tokens_may_be_sent.
  - unfold collect_step. destruct (collect_change _ _ _ _ _ _). apply as_tokens_may_be_sent.
  - split; simpl; auto.
Qed.

(* ---- Promises ---------------------------------------------------------------------------------------------------- *)

Definition promises_keep (o : list token) (later : list partial) : Prop := Forall (fun t => Forall (kept_by (bounds t))
  later) o.

Lemma true_promises : forall w b o, length b = w -> Forall (fun p => length p = w) (payloads o) -> promises_at_most b o
  ->
  honest w o /\ Forall (fun t => below (bounds t) b) o.
Proof.
  intros w b o L. induction o as [|t o IH]; simpl; intros W P; auto. destruct P as [B P].
  assert (W' : Forall (fun p => length p = w) (payloads o)).
  { apply Forall_app in W. tauto. }
  destruct (IH W' P) as [H F]. destruct (lowered_spec w (payloads o) b L W') as (Ll & Lb & Lk).
  split; [|constructor; auto; eapply below_trans; eauto]. split; [rewrite (below_length _ _ B); auto|]. split; [|split;
    auto].
  - apply Forall_app in W as [W _]. destruct (payload t); auto. inversion W; auto.
  - eapply Forall_impl; [|exact Lk]. intros p K. eapply below_trans; eauto.
Qed.

Lemma kept_below : forall a b ps, below a b -> Forall (kept_by b) ps -> Forall (kept_by a) ps.
Proof. intros a b ps B K. eapply Forall_impl; [|exact K]. intros p Kp. eapply below_trans; eauto. Qed.

Lemma last_is_kept : forall o b later, last_bounds o = Some b -> promises_keep o later -> Forall (kept_by b) later.
Proof.
  intros o b later L K. apply last_bounds_some in L as (before & t & -> & <-).
  apply Forall_app in K as [_ K]. inversion K; auto.
Qed.
Lemma last_width : forall w o b, honest w o -> last_bounds o = Some b -> length b = w.
Proof.
  intros w o b H L. apply last_bounds_some in L as (before & t & -> & <-).
  apply honest_app in H as (_ & H & _). simpl in H. tauto.
Qed.

Lemma what_is_said_is_true : forall k l o, says k l o -> forall w, honest w (computed_by k l) ->
  honest w o /\ Permutation (payloads o) (payloads (computed_by k l)) /\
  (forall later, promises_keep (computed_by k l) later -> promises_keep o later).
Proof.
  intros k l o S. induction S as [|l o slot t o' S IH M|l o b b' S IH L B]; intros w H.
  - split; [exact I|split; [apply Permutation_refl|intros; constructor]].
  - rewrite computed_snoc in *. set (c := snd (activate k (state_after k l) slot t)) in *.
    apply honest_app in H as (H1 & H2 & H3). destruct (IH w H1) as (I1 & I2 & I3). destruct M as [P M].
    assert (O : honest w o' /\ forall later, promises_keep c later -> promises_keep o' later).
    { destruct (last_bounds c) as [b|] eqn:Lc.
      - assert (W : Forall (fun p => length p = w) (payloads o')).
        { rewrite <- P. apply honest_widths. auto. }
        destruct (true_promises w b o' (last_width w c b H2 Lc) W M) as [T1 T2]. split; auto.
        intros later K. eapply Forall_impl; [|exact T2]. intros u Bu. eapply kept_below; [exact Bu|].
        eapply last_is_kept; eauto.
      - subst o'. split; [simpl; auto|]. intros; constructor. }
    destruct O as [O1 O2]. split; [|split].
    + apply honest_app. split; [auto|split; [auto|]]. assert (K : promises_keep o (payloads c)) by (apply I3; auto).
      eapply Forall_impl; [|exact K]. intros u Ku. rewrite <- P. auto.
    + rewrite !payloads_app, I2, P. auto.
    + intros later K. apply Forall_app in K as [K1 K2]. apply Forall_app. split; [apply I3; auto|apply O2; auto].
  - destruct (IH w H) as (I1 & I2 & I3). split; [|split].
    + apply honest_app. split; [auto|split].
      * assert (length b' = w) by (rewrite (below_length _ _ B); exact (last_width w _ b H L)). simpl. auto.
      * apply Forall_forall. intros u _. constructor.
    + rewrite payloads_app. simpl. rewrite app_nil_r. auto.
    + intros later K. apply Forall_app. split; [apply I3; auto|]. constructor; [|constructor]. simpl.
      eapply kept_below; [exact B|]. eapply last_is_kept; eauto.
Qed.

(* ---- Edges that leave out what is overtaken ---------------------------------------------------------------------- *)

(* A token without a payload may be dropped from an inbox before the next one, which promises for itself. *)
Inductive thinned (all : list token) : list token -> Prop :=
| Whole : thinned all all
| Without : forall a t u b, thinned all (a ++ t :: u :: b) -> payload t = None -> thinned all (a ++ u :: b).

Lemma thinned_more : forall all l more, thinned all l -> thinned (all ++ more) (l ++ more).
Proof.
  intros all l more T. induction T as [|a t u b T IH P]; [constructor|].
  rewrite <- app_assoc in *. simpl in *. eapply Without; eauto.
Qed.
Lemma thinned_payloads : forall all l, thinned all l -> payloads l = payloads all.
Proof.
  intros all l T. induction T as [|a t u b T IH P]; auto. rewrite <- IH, !payloads_app. f_equal.
  unfold payloads. simpl. rewrite P. auto.
Qed.
Lemma thinned_last : forall all l, thinned all l -> last_bounds l = last_bounds all.
Proof.
  intros all l T. induction T as [|a t u b T IH P]; auto. rewrite <- IH, !last_bounds_app.
  change (t :: u :: b) with ([t] ++ (u :: b)). rewrite last_bounds_app.
  destruct (last_bounds (u :: b)) eqn:L; auto. apply last_bounds_none in L. discriminate.
Qed.
Lemma thinned_honest : forall w all l, thinned all l -> honest w all -> honest w l.
Proof.
  intros w all l T H. induction T as [|a t u b T IH P]; auto. apply honest_app in IH as (A & B & C).
  change (t :: u :: b) with ([t] ++ (u :: b)) in *. apply honest_app in B as (_ & B & _).
  apply honest_app. split; [auto|split; [auto|]]. rewrite payloads_app in C.
  eapply Forall_impl; [|exact C]. intros v K. apply Forall_app in K. tauto.
Qed.

(* ---- The steps --------------------------------------------------------------------------------------------------- *)

(* A configuration, and two records that no step depends on but in what may be said again: all that each node has sent
   on, and the bounds that its last result had before they were weakened. *)
Record loose := Loose { plain : config; sent : nat -> list token; known : nat -> option (list Z) }.

Variables (net : network).
Section Steps.
Variable limit : nat -> limits.

(* PARTE/PROC, PARTE/PROP (specification: global-rules, unbounded-runs). *)
Inductive steps (x : loose) : loose -> Prop :=
| Arrives : forall q t rest, queue (plain x) q = t :: rest ->
    room_at_all net limit (plain x) (External q) = true ->
    steps x (Loose (Config (updated (queue (plain x)) q rest) (delivered net (plain x) (External q) t)
      (outbox (plain x)) (state (plain x))) (sent x) (known x))
| Processes : forall i v slot t rest d o o', nth_error net i = Some v -> inbox (plain x) i slot = t :: rest ->
    waits v (limit i) (state (plain x) i) slot t = false ->
    activate (kind_of v) (state (plain x) i) slot t = (d, o) -> may_send o o' ->
    fits_in (outbox_room (limit i)) (length (outbox (plain x) i ++ o')) = true ->
    steps x (Loose (Config (queue (plain x)) (without_first (plain x) i slot rest)
      (updated (outbox (plain x)) i (outbox (plain x) i ++ o')) (updated (state (plain x)) i d)) (sent x)
      (updated (known x) i (match last_bounds o with Some b => Some b | None => known x i end)))
| Propagates : forall i t rest, outbox (plain x) i = t :: rest ->
    room_at_all net limit (plain x) (Internal i) = true ->
    steps x (Loose (Config (queue (plain x)) (delivered net (plain x) (Internal i) t)
      (updated (outbox (plain x)) i rest) (state (plain x))) (updated (sent x) i (sent x i ++ [t])) (known x))
| Repeats : forall i v b b', nth_error net i = Some v -> known x i = Some b -> below b' b ->
    fits_in (outbox_room (limit i)) (length (outbox (plain x) i ++ [Token b' None])) = true ->
    steps x (Loose (Config (queue (plain x)) (inbox (plain x))
      (updated (outbox (plain x)) i (outbox (plain x) i ++ [Token b' None])) (state (plain x))) (sent x) (known x))
| Overtakes : forall i slot a t u b, inbox (plain x) i slot = a ++ t :: u :: b -> payload t = None ->
    steps x (Loose (Config (queue (plain x)) (without_first (plain x) i slot (a ++ u :: b))
      (outbox (plain x)) (state (plain x))) (sent x) (known x)).
Inductive leads_to (x : loose) : loose -> Prop :=
| Still : leads_to x x
| Further : forall y z, leads_to x y -> steps y z -> leads_to x z.
End Steps.

Definition loose_start (queues : nat -> list token) : loose := Loose (start net queues) (fun _ => []) (fun _ => None).

(* Which bounds decide when a match is reported: those on the way to the right of a node that holds something back. *)
Inductive decides : nat -> Prop :=
| Decides_there : forall i v j, nth_error net i = Some v -> holds_back (kind_of v) = true ->
    nth_error (sources v) 1 = Some (Internal j) -> decides j
| Decides_further : forall i v j, decides i -> nth_error net i = Some v -> In (Internal j) (sources v) -> decides j.
Definition last_said (x : loose) (i : nat) : option (list Z) := last_bounds (sent x i ++ outbox (plain x) i).
(* At rest all tokens have been taken, and the bounds that decide have been sent as they are known. *)
Definition is_at_rest (x : loose) : Prop := rested (plain x) /\ forall i, decides i -> last_said x i = known x i.

(* ---- Logs explain a configuration -------------------------------------------------------------------------------- *)

Section Theory.
Variable queues : nat -> list token.

Record accounts_for (x : loose) (logs : nat -> log) (arrived : nat -> list token) : Prop := AccountsFor {
  a_state : forall i v, nth_error net i = Some v -> state (plain x) i = state_after (kind_of v) (logs i);
  a_said : forall i v, nth_error net i = Some v -> says (kind_of v) (logs i) (sent x i ++ outbox (plain x) i);
  a_known : forall i v, nth_error net i = Some v -> known x i = last_bounds (computed_by (kind_of v) (logs i));
  a_queues : forall q, arrived q ++ queue (plain x) q = queues q;
  a_inboxes : forall i k s, reads net i k s = true ->
    thinned (origin (sent x) arrived s) (taken k (logs i) ++ inbox (plain x) i k);
  a_nowhere : forall i k, (forall s, reads net i k s = false) -> inbox (plain x) i k = [];
  a_slots : forall i v, nth_error net i = Some v -> Forall (fun y => fst y < length (sources v))%nat (logs i) }.

Lemma start_accounted : accounts_for (loose_start queues) (fun _ => []) (fun _ => []).
Proof.
  constructor; simpl; auto.
  - intros i v H. rewrite H. auto.
  - intros. constructor.
  - intros i k [q|j] _; constructor.
Qed.

Lemma steps_accounted : forall limit x y logs arrived, accounts_for x logs arrived -> steps limit x y ->
  exists logs' arrived', accounts_for y logs' arrived'.
Proof.
  intros limit x y logs arrived X S.
  destruct S as [q t rest Q _|i v k t rest d o o' V I _ Ac M _|i t rest O _|i v b b' V K B _|i k a t u b I P].
  - exists logs, (updated arrived q (arrived q ++ [t])). constructor; simpl; try apply X.
    + intros q'. destruct (Nat.eq_dec q' q) as [->|N].
      * rewrite !updated_same, <- app_assoc. simpl. rewrite <- Q. apply X.
      * rewrite !updated_other by auto. apply X.
    + intros i k s R. unfold delivered. pose proof (a_inboxes _ _ _ X i k s R) as T.
      destruct (reads net i k (External q)) eqn:R'.
      * assert (s = External q) by (eapply reads_one; eauto). subst. simpl in *.
        rewrite updated_same, app_assoc. apply thinned_more. auto.
      * destruct s as [q'|j]; simpl in *; auto. rewrite updated_other; auto. intros ->. congruence.
    + intros i k R. unfold delivered. rewrite R. apply X; auto.
  - exists (updated logs i (logs i ++ [(k, t)])), arrived.
    assert (St : state (plain x) i = state_after (kind_of v) (logs i)) by (apply X; auto).
    rewrite St in Ac. constructor; simpl; try apply X.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same. assert (v' = v) by congruence. subst v'. rewrite state_snoc, Ac. auto.
      * rewrite !updated_other by auto. apply X; auto.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same. assert (v' = v) by congruence. subst v'. rewrite app_assoc. constructor; [apply X;
        auto|].
        rewrite Ac. auto.
      * rewrite !updated_other by auto. apply X; auto.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same. assert (v' = v) by congruence. subst v'.
        rewrite computed_snoc, Ac, last_bounds_app, (a_known _ _ _ X i v V). auto.
      * rewrite !updated_other by auto. apply X; auto.
    + intros i' k' s R. unfold without_first. pose proof (a_inboxes _ _ _ X i' k' s R) as J.
      destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite updated_same, Nat.eqb_refl, taken_app. simpl. unfold taken at 2. simpl.
        destruct (Nat.eq_dec k' k) as [->|N].
        -- rewrite !Nat.eqb_refl. simpl. rewrite <- app_assoc. simpl. rewrite <- I. auto.
        -- assert (Nat.eqb k' k = false) by (apply Nat.eqb_neq; auto).
           assert (Nat.eqb k k' = false) by (apply Nat.eqb_neq; auto). rewrite H, H0. simpl. rewrite app_nil_r. auto.
      * rewrite updated_other by auto. apply Nat.eqb_neq in N. rewrite N. auto.
    + intros i' k' R. unfold without_first. destruct (Nat.eqb i' i && Nat.eqb k' k) eqn:B.
      * apply andb_true_iff in B as [B1 B2]. apply Nat.eqb_eq in B1, B2. subst.
        pose proof (a_nowhere _ _ _ X i k R). congruence.
      * apply X; auto.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite updated_same. assert (v' = v) by congruence. subst v'. apply Forall_app; split; [apply X; auto|].
        constructor; auto. simpl. destruct (reads_or_not net i k) as [[s R]|R].
        -- apply reads_spec in R as (v' & V2 & Sv). assert (v' = v) by congruence. subst v'.
           apply nth_error_Some. congruence.
        -- pose proof (a_nowhere _ _ _ X i k R). congruence.
      * rewrite updated_other by auto. apply X; auto.
  - exists logs, arrived. constructor; simpl; try apply X.
    + intros i' v' V'. pose proof (a_said _ _ _ X i' v' V') as Sd. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same, <- app_assoc. simpl. rewrite <- O. auto.
      * rewrite !updated_other by auto. auto.
    + intros i' k' s R. unfold delivered. pose proof (a_inboxes _ _ _ X i' k' s R) as J.
      destruct (reads net i' k' (Internal i)) eqn:R'.
      * assert (s = Internal i) by (eapply reads_one; eauto). subst. simpl in *.
        rewrite updated_same, app_assoc. apply thinned_more. auto.
      * destruct s as [q'|j]; simpl in *; auto. rewrite updated_other; auto. intros ->. congruence.
    + intros i' k' R. unfold delivered. rewrite R. apply X; auto.
  - exists logs, arrived. constructor; simpl; try apply X.
    intros i' v' V'. pose proof (a_said _ _ _ X i' v' V') as Sd. destruct (Nat.eq_dec i' i) as [->|N].
    + rewrite updated_same, app_assoc. econstructor; eauto. rewrite <- (a_known _ _ _ X i v' V'). auto.
    + rewrite updated_other by auto. auto.
  - exists logs, arrived. constructor; simpl; try apply X.
    + intros i' k' s R. unfold without_first. pose proof (a_inboxes _ _ _ X i' k' s R) as J.
      destruct (Nat.eqb i' i && Nat.eqb k' k) eqn:B; auto.
      apply andb_true_iff in B as [B1 B2]. apply Nat.eqb_eq in B1, B2. subst.
      rewrite I in J. rewrite app_assoc in *. eapply Without; eauto.
    + intros i' k' R. unfold without_first. destruct (Nat.eqb i' i && Nat.eqb k' k) eqn:B; [|apply X; auto].
      apply andb_true_iff in B as [B1 B2]. apply Nat.eqb_eq in B1, B2. subst.
      rewrite (a_nowhere _ _ _ X i k R) in I. destruct a; discriminate.
Qed.

Lemma all_accounted : forall limit x, leads_to limit (loose_start queues) x -> exists logs arrived,
  accounts_for x logs arrived.
Proof.
  intros limit x R. remember (loose_start queues) as x0. induction R as [|y z R IH S]; subst.
  - exists (fun _ => []), (fun _ => []). apply start_accounted.
  - destruct IH as (l & a & X); auto. eapply steps_accounted; eauto.
Qed.

(* ---- Promises on every edge -------------------------------------------------------------------------------------- *)

Variable reach : Z.
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.

Lemma taken_honest : forall x logs arrived, accounts_for x logs arrived -> forall i v,
  nth_error net i = Some v ->
  (forall j u, (j < i)%nat -> nth_error net j = Some u -> is_terminal (kind_of u) = false ->
    honest (width_of (kind_of u)) (sent x j ++ outbox (plain x) j)) ->
  keeps_promises (widths net v) (logs i).
Proof.
  intros x logs arrived X i v V H. split.
  - unfold widths. rewrite map_length. apply (a_slots _ _ _ X i v V).
  - intros k w Hk. unfold widths in Hk. rewrite nth_error_map in Hk.
    destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|discriminate].
    inversion Hk; subst w. assert (R : reads net i k s = true) by (apply reads_spec; eauto).
    pose proof (a_inboxes _ _ _ X i k s R) as J. apply honest_prefix with (inbox (plain x) i k).
    eapply thinned_honest; [exact J|]. destruct s as [q|j]; simpl.
    + apply honest_prefix with (queue (plain x) q). rewrite (a_queues _ _ _ X). apply Honest.
    + destruct (its_sources _ _ i v (Net i v V) j) as (L & u & U & Nt); [eapply nth_error_In; eauto|].
      rewrite U. apply honest_prefix with (outbox (plain x) j). auto.
Qed.

Lemma loose_promises_kept : forall x logs arrived, accounts_for x logs arrived -> forall i v,
  nth_error net i = Some v -> keeps_promises (widths net v) (logs i) /\
  (is_terminal (kind_of v) = false -> honest (width_of (kind_of v)) (computed_by (kind_of v) (logs i)) /\
    honest (width_of (kind_of v)) (sent x i ++ outbox (plain x) i)).
Proof.
  intros x logs arrived X i. induction i as [i IH] using lt_wf_ind. intros v V.
  assert (K : keeps_promises (widths net v) (logs i)).
  { eapply taken_honest; eauto. intros j u L U T. destruct (IH j L u U) as [_ H]. apply H. auto. }
  split; auto. intros T.
  pose proof (a_node_keeps_its_promises reach (kind_of v) (widths net v) (logs i) (its_kind _ _ i v (Net i v V)) T K)
    as H.
  split; [exact H|]. eapply what_is_said_is_true; eauto. apply X. auto.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: bounds-on-later-payloads, unbounded-runs): whatever has been left out, no edge
   promises what a later event on it breaks. *)
Theorem every_edge_of_a_weakened_run_keeps_its_promises : forall limit x, leads_to limit (loose_start queues) x ->
  forall i v, nth_error net i = Some v -> is_terminal (kind_of v) = false ->
  honest (width_of (kind_of v)) (sent x i ++ outbox (plain x) i).
Proof.
  intros limit x R i v V T. destruct (all_accounted limit x R) as (logs & arrived & X).
  eapply loose_promises_kept; eauto.
Qed.

Lemma said_payloads : forall x logs arrived, accounts_for x logs arrived -> forall i v, nth_error net i = Some v ->
  Permutation (if is_terminal (kind_of v) then reported (state (plain x) i)
               else payloads (sent x i ++ outbox (plain x) i))
    (if is_terminal (kind_of v) then reported (state_after (kind_of v) (logs i))
     else payloads (computed_by (kind_of v) (logs i))).
Proof.
  intros x logs arrived X i v V. destruct (is_terminal (kind_of v)) eqn:T.
  - rewrite (a_state _ _ _ X i v V). auto.
  - destruct (loose_promises_kept x logs arrived X i v V) as [_ H]. destruct (H T) as [H1 _].
    destruct (what_is_said_is_true _ _ _ (a_said _ _ _ X i v V) _ H1) as (_ & P & _). exact P.
Qed.

(* ---- Adequacy ---------------------------------------------------------------------------------------------------- *)

Hypothesis Own : own_templates net queues.
Hypothesis Ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (queues q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

Lemma taken_at_rest : forall x logs arrived, accounts_for x logs arrived -> rested (plain x) ->
  forall i v k, nth_error net i = Some v ->
  match nth_error (sources v) k with
  | Some s => thinned (match s with External q => queues q | Internal j => sent x j end) (taken k (logs i))
  | None => taken k (logs i) = []
  end.
Proof.
  intros x logs arrived X (Q & O & I) i v k V. destruct (nth_error (sources v) k) as [s|] eqn:Sk.
  - assert (R : reads net i k s = true) by (apply reads_spec; eauto).
    pose proof (a_inboxes _ _ _ X i k s R) as J. rewrite I, app_nil_r in J. destruct s as [q|j]; simpl in J; auto.
    pose proof (a_queues _ _ _ X q) as A. rewrite Q, app_nil_r in A. rewrite <- A. auto.
  - pose proof (a_slots _ _ _ X i v V) as Sl. apply nth_error_None in Sk. unfold taken. clear - Sk Sl.
    induction Sl; simpl; auto. destruct (Nat.eqb (fst x) k) eqn:B; auto. apply Nat.eqb_eq in B. lia.
Qed.

Lemma lags_positive : forall i, (i <= length net)%nat -> 0 <= lags net i.
Proof.
  intros i L. pose proof (lags_mono net reach Net 0 i ltac:(lia) L) as H. unfold lags at 1 in H. simpl in H. auto.
Qed.

Lemma no_strangers_taken : forall x logs arrived, accounts_for x logs arrived -> rested (plain x) ->
  forall i v, nth_error net i = Some v -> no_strangers (kind_of v) (logs i).
Proof.
  intros x logs arrived X R i v V. unfold no_strangers.
  destruct (kind_of v) as [n slots| | | | | |] eqn:Kv; auto.
  pose proof (a_slots _ _ _ X i v V) as Sl. pose proof (by_slots _ _ Sl) as B. apply payloads_permutation in B.
  rewrite payloads_flat_map in B. rewrite B. apply Forall_flat_map, Forall_forall. intros k Hk. apply in_seq in Hk.
  pose proof (taken_at_rest x logs arrived X R i v k V) as T.
  destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|rewrite T; constructor].
  rewrite (thinned_payloads _ _ T). destruct s as [q|j].
  - eapply Own; eauto. eapply nth_error_In; eauto.
  - destruct (its_template _ _ i v (Net i v V) n slots j Kv) as (u & U & Em); [eapply nth_error_In; eauto|].
    destruct R as (_ & O & _). pose proof (said_payloads x logs arrived X j u U) as P.
    rewrite O, app_nil_r in P.
    destruct (kind_of u) as [| | | | |generate a lag|] eqn:Ku; simpl in Em; try contradiction. simpl in P. rewrite P.
    unfold computed_by. rewrite (run_answered (production_answer generate a)) by (intros ? ? ?; auto). simpl.
    rewrite production_payloads. apply emitted_only. auto.
Qed.

Lemma loosely_adequate_at : forall x logs arrived, accounts_for x logs arrived -> is_at_rest x ->
  forall i v, nth_error net i = Some v ->
  Permutation (if is_terminal (kind_of v) then reported (state (plain x) i) else payloads (sent x i))
    (nth i (values queues net) []) /\
  (decides i -> is_terminal (kind_of v) = false -> ended (infinity - lags net (S i)) (sent x i)).
Proof.
  intros x logs arrived X (R & D) i. induction i as [i IH] using lt_wf_ind. intros v V.
  destruct (loose_promises_kept x logs arrived X i v V) as [K _].
  assert (Li : (i < length net)%nat) by (apply nth_error_Some; congruence).
  assert (Fin : infinity - lags net i <= infinity) by (pose proof (lags_positive i ltac:(lia)); lia).
  assert (Far' : horizon + reach < infinity - lags net i).
  { assert (lags net i <= lags net (length net)) by (eapply lags_mono; eauto; lia). lia. }
  assert (En : forall k s, nth_error (sources v) k = Some s -> (forall j, s = Internal j -> decides j) ->
    ended (infinity - lags net i) (taken k (logs i))).
  { intros k s Sk Ds. pose proof (taken_at_rest x logs arrived X R i v k V) as T. rewrite Sk in T.
    apply ended_last. rewrite (thinned_last _ _ T). apply ended_last. destruct s as [q|j].
    - apply ended_weaker with infinity; [auto|eapply Ended; eauto; eapply nth_error_In; eauto].
    - destruct (its_sources _ _ i v (Net i v V) j) as (L & u & U & Nt); [eapply nth_error_In; eauto|].
      apply ended_weaker with (infinity - lags net (S j)); [|eapply IH; eauto].
      assert (lags net (S j) <= lags net i) by (eapply lags_mono; eauto; lia). lia. }
  assert (W := its_kind _ _ i v (Net i v V)).
  destruct R as (Q & O & I). assert (R : rested (plain x)) by (split; auto).
  split.
  - pose proof (said_payloads x logs arrived X i v V) as P. rewrite O, app_nil_r in P. rewrite P.
    rewrite (a_node_whose_right_has_ended_sent_exactly_its_value reach (kind_of v) (widths net v) (logs i) _ W K Far').
    + rewrite (value_at net queues reach Net i v V). apply value_of_permutation. intros k. unfold inputs, looked_up.
      pose proof (taken_at_rest x logs arrived X R i v k V) as T. destruct (nth_error (sources v) k) as [s|] eqn:Sk.
      * rewrite (thinned_payloads _ _ T). destruct s as [q|j]; auto.
        destruct (its_sources _ _ i v (Net i v V) j) as (L & u & U & Nt); [eapply nth_error_In; eauto|].
        destruct (IH j L u U) as [P' _]. rewrite Nt in P'. exact P'.
      * rewrite T. auto.
    + intros Hb. assert (Two : length (sources v) = 2%nat).
      { destruct (kind_of v) as [| |[|]| | | |]; try discriminate; destruct W as (W & _);
          apply (f_equal (@length nat)) in W; unfold widths in W; rewrite map_length in W; auto. }
      destruct (nth_error (sources v) 1) as [s|] eqn:S1; [|apply nth_error_None in S1; lia].
      apply (En 1%nat s S1). intros j ->. eapply Decides_there; eauto.
  - intros Di T. pose proof (a_node_that_has_ended_ends_what_it_sends reach (kind_of v) (widths net v) (logs i)
    (infinity
      - lags net i) W T K (no_strangers_taken x logs arrived X R i v V) Far' Fin) as P.
    rewrite (lags_next net i v V). replace (infinity - (lags net i + lag_of (kind_of v))) with
      (infinity - lags net i - lag_of (kind_of v)) by lia.
    apply ended_last. pose proof (D i Di) as L. unfold last_said in L. rewrite O, app_nil_r in L.
    rewrite L, (a_known _ _ _ X i v V). apply ended_last. apply P. intros k Hk. unfold widths in Hk.
    rewrite map_length in Hk. destruct (nth_error (sources v) k) as [s|] eqn:Sk; [|apply nth_error_None in Sk; lia].
    apply (En k s Sk). intros j ->. eapply Decides_further; eauto. eapply nth_error_In; eauto.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, unbounded-runs): at rest each terminal node has reported, and
   each other node has sent, exactly its value, whatever was left out and with any capacities. *)
Theorem a_weakened_run_that_rests_has_reported_and_sent_exactly_the_values : forall limit x,
  leads_to limit (loose_start queues) x -> is_at_rest x -> forall i v, nth_error net i = Some v ->
  Permutation (if is_terminal (kind_of v) then reported (state (plain x) i) else payloads (sent x i))
    (nth i (values queues net) []).
Proof.
  intros limit x R Rest i v V. destruct (all_accounted limit x R) as (logs & arrived & X).
  eapply loosely_adequate_at; eauto.
Qed.
End Theory.

(* ---- Every run can be completed, whatever comes ------------------------------------------------------------------ *)

Lemma says_further : forall k more l o, says k l o -> says k (l ++ more) (o ++ snd (run k (state_after k l) more)).
Proof.
  intros k. induction more as [|[slot t] more IH]; intros l o S; simpl; [rewrite !app_nil_r; auto|].
  pose proof (state_snoc k l slot t) as St. pose proof (what_is_computed_may_be_sent k (state_after k l) slot t) as M.
  pose proof (IH (l ++ [(slot, t)]) _ (Says_results k l o slot t _ S M)) as H. rewrite St in H.
  destruct (activate k (state_after k l) slot t) as [d o1]. simpl in *. rewrite <- !app_assoc in H. simpl in H.
  destruct (run k d more). exact H.
Qed.
Lemma says_empty : forall k l o, says k l o -> last_bounds (computed_by k l) = None -> o = [].
Proof.
  intros k l o S. induction S as [|l o slot t o' S IH [P M]|l o b b' S IH L B]; intros N; auto; [|congruence].
  rewrite computed_snoc, last_bounds_app in N. destruct (last_bounds (snd _)); [discriminate|].
  rewrite IH by auto. subst. auto.
Qed.

Lemma taken_of_pairs : forall k j l, taken k (map (pair j) l) = if Nat.eqb j k then l else [].
Proof.
  unfold taken. intros k j l. induction l as [|t l IH]; simpl; [destruct (Nat.eqb j k); auto|].
  destruct (Nat.eqb j k); simpl in *; congruence.
Qed.
Lemma taken_of_slots : forall k rest n m, (n <= k < n + m)%nat ->
  taken k (flat_map (fun j => map (pair j) (rest j)) (seq n m)) = rest k.
Proof.
  intros k rest n m. revert n. induction m; intros n H; [lia|]. simpl. rewrite taken_app, taken_of_pairs.
  destruct (Nat.eqb n k) eqn:Q.
  - apply Nat.eqb_eq in Q. subst. replace (taken k (flat_map (fun j => map (pair j) (rest j)) (seq (S k) m))) with
    (@nil token);
      [apply app_nil_r|].
    assert (G : forall n, (k < n)%nat -> [] = taken k (flat_map (fun j => map (pair j) (rest j)) (seq n m))).
    { clear. induction m; intros n L; simpl; auto. rewrite taken_app, taken_of_pairs, <- IHm by lia.
      destruct (Nat.eqb n k) eqn:Q; auto. apply Nat.eqb_eq in Q. lia. }
    apply G. lia.
  - apply Nat.eqb_neq in Q. rewrite IHm by lia. auto.
Qed.

Section Continued.
Variables (reach : Z) (before after : nat -> list token).
Hypothesis Net : sound_network net reach.
Hypothesis Continued : forall q, exists more, after q = before q ++ more.

(* What a node has sent in the end, if it goes on without leaving anything out. *)
Definition said_in_the_end (x : loose) (logs logs' : nat -> log) (j : nat) : list token :=
  match nth_error net j with
  | Some u => (sent x j ++ outbox (plain x) j)
      ++ snd (run (kind_of u) (state_after (kind_of u) (logs j)) (skipn (length (logs j)) (logs' j)))
      ++ match last_bounds (computed_by (kind_of u) (logs' j)) with Some b => [Token b None] | None => [] end
  | None => [] end.
Definition whole (x : loose) (logs logs' : nat -> log) (s : source) : list token :=
  match s with External q => after q | Internal j => said_in_the_end x logs logs' j end.

(* Logs that go on from those of a run until nothing is left. *)
Definition completed (x : loose) (logs logs' : nat -> log) (n : nat) : Prop := forall i v, (i < n)%nat ->
  nth_error net i = Some v ->
  (exists more, logs' i = logs i ++ more) /\ Forall (fun y => fst y < length (sources v))%nat (logs' i) /\
  forall k s, nth_error (sources v) k = Some s -> thinned (whole x logs logs' s) (taken k (logs' i)).

Lemma logs_complete : forall x logs arrived, accounts_for before x logs arrived ->
  forall n, exists logs', completed x logs logs' n.
Proof.
  intros x logs arrived X n. induction n as [|n [logs' H]].
  - exists logs. intros i v L. lia.
  - destruct (nth_error net n) as [v|] eqn:V.
    + set (rest := fun k => match nth_error (sources v) k with
                            | Some s => inbox (plain x) n k
                                ++ skipn (length (origin (sent x) arrived s)) (whole x logs logs' s)
                            | None => [] end).
      set (more := flat_map (fun j => map (pair j) (rest j)) (seq 0 (length (sources v)))).
      exists (updated logs' n (logs n ++ more)).
      assert (Same : forall i u s, nth_error net i = Some u -> (i <= n)%nat -> In s (sources u) ->
        whole x logs (updated logs' n (logs n ++ more)) s = whole x logs logs' s).
      { intros i u [q|j] U L I; simpl; auto. destruct (its_sources _ _ _ _ (Net i u U) j I) as (Lt & _).
        unfold said_in_the_end. rewrite updated_other by lia. auto. }
      intros i u L U. destruct (Nat.eq_dec i n) as [->|N].
      * assert (u = v) by congruence. subst u. rewrite updated_same. split; [eauto|split].
        -- apply Forall_app; split; [apply (a_slots _ _ _ _ X); auto|]. apply Forall_flat_map, Forall_forall.
           intros k Hk. apply in_seq in Hk. apply Forall_map, Forall_forall. simpl. intros. lia.
        -- intros k s Sk. assert (Lk : (k < length (sources v))%nat) by (apply nth_error_Some; congruence).
           rewrite (Same n v s V), taken_app by (auto; eapply nth_error_In; eauto).
           unfold more. rewrite taken_of_slots by lia. unfold rest. rewrite Sk.
           assert (P : exists r, whole x logs logs' s = origin (sent x) arrived s ++ r).
           { destruct s as [q|j]; simpl.
             - destruct (Continued q) as (m & Eq). pose proof (a_queues _ _ _ _ X q) as Q.
               exists (queue (plain x) q ++ m). rewrite Eq, <- Q, <- !app_assoc. auto.
             - destruct (its_sources _ _ _ _ (Net n v V) j) as (Lt & w & W & _); [eapply nth_error_In; eauto|].
               unfold said_in_the_end. rewrite W, <- !app_assoc. eauto. }
           destruct P as (r & Eq). rewrite Eq, skipn_app, skipn_all, Nat.sub_diag. simpl.
           rewrite app_assoc. apply thinned_more. apply (a_inboxes _ _ _ _ X). apply reads_spec. eauto.
      * rewrite updated_other by auto. destruct (H i u) as (A & B & C); [lia|auto|]. split; [auto|split; [auto|]].
        intros k s Sk. rewrite (Same i u s U); [auto|lia|]. eapply nth_error_In; eauto.
    + exists logs'. intros i u L U. apply H; auto. assert (i <> n) by congruence. lia.
Qed.

Hypothesis Honest : honest_sources after.
Hypothesis Own : own_templates net after.
Hypothesis Ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (after q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, unbounded-runs). *)
Theorem what_a_weakened_run_has_reported_and_sent_stays_in_the_value : forall limit x,
  leads_to limit (loose_start before) x -> forall i v, nth_error net i = Some v ->
  exists more, Permutation ((if is_terminal (kind_of v) then reported (state (plain x) i) else payloads (sent x i)) ++
    more) (nth i (values after net) []).
Proof.
  intros limit x R i v V. destruct (all_accounted before limit x R) as (logs & arrived & X).
  destruct (logs_complete x logs arrived X (length net)) as (logs' & H).
  set (x' := Loose (Config (fun _ => []) (fun _ _ => []) (fun _ => [])
      (fun i => match nth_error net i with Some v => state_after (kind_of v) (logs' i) | None => initial Terminal end))
    (said_in_the_end x logs logs')
    (fun i => match nth_error net i with Some v => last_bounds (computed_by (kind_of v) (logs' i)) | None => None end)).
  assert (Sd : forall j u, nth_error net j = Some u -> exists o,
    said_in_the_end x logs logs' j = (sent x j ++ outbox (plain x) j) ++ o /\
    says (kind_of u) (logs' j) (said_in_the_end x logs logs' j) /\
    last_bounds (said_in_the_end x logs logs' j) = last_bounds (computed_by (kind_of u) (logs' j))).
  { intros j u U. destruct (H j u) as ((more & Eq) & _); [apply nth_error_Some; congruence|auto|].
    unfold said_in_the_end. rewrite U, Eq, skipn_app, skipn_all, Nat.sub_diag. simpl.
    pose proof (says_further _ more _ _ (a_said _ _ _ _ X j u U)) as S. eexists. split; [reflexivity|].
    rewrite app_assoc. destruct (last_bounds (computed_by (kind_of u) (logs j ++ more))) as [b|] eqn:L.
    - split; [|apply last_bounds_last]. eapply Says_again; [exact S|exact L|apply below_refl].
    - rewrite app_nil_r. split; auto. rewrite (says_empty _ _ _ S L). auto. }
  assert (X' : accounts_for after x' logs' after).
  { constructor; simpl; auto.
    - intros j u U. rewrite U. auto.
    - intros j u U. rewrite app_nil_r. destruct (Sd j u U) as (o & _ & S & _). auto.
    - intros j u U. rewrite U. auto.
    - intros q. apply app_nil_r.
    - intros j k s Rd. rewrite app_nil_r. apply reads_spec in Rd as (u & U & Sk).
      destruct (H j u) as (_ & _ & W); [apply nth_error_Some; congruence|auto|]. specialize (W k s Sk).
      destruct s; auto.
    - intros j u U. destruct (H j u) as (_ & W & _); [apply nth_error_Some; congruence|auto|auto]. }
  assert (Rest : is_at_rest x').
  { split; [split; [|split]; simpl; auto|]. intros j _. unfold last_said. simpl. rewrite app_nil_r.
    destruct (nth_error net j) as [u|] eqn:U.
    - destruct (Sd j u U) as (o & _ & _ & L). auto.
    - unfold said_in_the_end. rewrite U. auto. }
  destruct (loosely_adequate_at after reach Net Honest Own Ended Far x' logs' after X' Rest i v V) as [P _].
  destruct (is_terminal (kind_of v)) eqn:T.
  - simpl in P. rewrite V in P. destruct (H i v) as ((more & Eq) & _); [apply nth_error_Some; congruence|auto|].
    exists (payloads (map snd more)). rewrite <- P, Eq, (a_state _ _ _ _ X i v V). unfold state_after.
    destruct (kind_of v); try discriminate. rewrite !reported_by_a_terminal, map_app, payloads_app. simpl. auto.
  - destruct (Sd i v V) as (o & Eq & _). simpl in P. rewrite Eq, <- app_assoc, payloads_app in P.
    eexists. exact P.
Qed.
End Continued.

(* ---- The machine as an instance ---------------------------------------------------------------------------------- *)

(* A run, with all that each node has sent on. *)
Definition sent_with (c : config) (a : action) (s : nat -> list token) : nat -> list token :=
  match a with Propagate i => updated s i (s i ++ firstn 1 (outbox c i)) | _ => s end.
Inductive runs (limit : nat -> limits) (c : config) : config -> (nat -> list token) -> Prop :=
| Runs_nowhere : runs limit c c (fun _ => [])
| Runs_on : forall d s a d', runs limit c d s -> takes net limit d a = Some d' -> runs limit c d' (sent_with d a s).

Lemma a_run_has_sent_something : forall limit c d, reaches net limit c d <-> exists s, runs limit c d s.
Proof.
  intros limit c d. split.
  - intros R. induction R as [|d a d' R [s IH] T]; [eexists; constructor|]. eexists. econstructor; eauto.
  - intros [s R]. induction R; econstructor; eauto.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: unbounded-runs): the machine is one that leaves nothing out. *)
Theorem every_run_is_one_that_weakens_nothing : forall limit queues c s, runs limit (start net queues) c s ->
  exists k, leads_to limit (loose_start queues) (Loose c s k) /\
  forall i, last_said (Loose c s k) i = k i.
Proof.
  intros limit queues c s R. remember (start net queues) as c0. induction R as [|d s a d' R IH T]; subst.
  - exists (fun _ => None). split; [constructor|auto].
  - destruct IH as (k & L & Kn); auto. destruct a as [q|i slot|i]; simpl in T.
    + destruct (queue d q) as [|t rest] eqn:Q; [discriminate|].
      destruct (room_at_all net limit d (External q)) eqn:Rm; inversion T; subst.
      exists k. split; [|exact Kn]. eapply Further; [exact L|].
      apply (Arrives limit (Loose d s k) q t rest Q Rm).
    + destruct (nth_error net i) as [v|] eqn:V; [|discriminate].
      destruct (inbox d i slot) as [|t rest] eqn:I; [discriminate|].
      destruct (waits v (limit i) (state d i) slot t) eqn:W; [discriminate|].
      pose proof (what_is_computed_may_be_sent (kind_of v) (state d i) slot t) as M.
      destruct (activate (kind_of v) (state d i) slot t) as [d1 o] eqn:A. simpl in M.
      destruct (fits_in (outbox_room (limit i)) (length (outbox d i ++ o))) eqn:F; inversion T; subst.
      eexists. split; [eapply Further; [exact L|]; exact (Processes limit (Loose d s k) i v slot t rest d1 o o V I W A
        M F)|].
      intros j. unfold last_said, updated. simpl. specialize (Kn j). unfold last_said in Kn. simpl in Kn.
      destruct (Nat.eqb j i) eqn:Q; auto. apply Nat.eqb_eq in Q. subst.
      rewrite app_assoc, last_bounds_app, Kn. destruct (last_bounds o); auto.
    + destruct (outbox d i) as [|t rest] eqn:O; [discriminate|].
      destruct (room_at_all net limit d (Internal i)) eqn:Rm; inversion T; subst.
      exists k. split.
      * eapply Further; [exact L|]. unfold sent_with. rewrite O.
        apply (Propagates limit (Loose d s k) i t rest O Rm).
      * intros j. unfold last_said, sent_with, updated. simpl. rewrite O. specialize (Kn j). unfold last_said in Kn.
        simpl in Kn. destruct (Nat.eqb j i) eqn:Q; auto. apply Nat.eqb_eq in Q. subst.
        rewrite O in Kn. rewrite <- app_assoc. exact Kn.
Qed.
Lemma a_rested_run_is_at_rest : forall c s k, rested c -> (forall i, last_said (Loose c s k) i = k i) ->
  is_at_rest (Loose c s k).
Proof. intros c s k R K. split; [exact R|]. intros i _. apply K. Qed.

(* When a run is looked at: at rest, when all that there is has arrived, or at any time before what comes after. *)
Definition stage (all : bool) (before after : nat -> list token) (x : loose) : Prop :=
  if all then before = after /\ is_at_rest x else forall q, exists more, after q = before q ++ more.
Lemma a_run_as_one : forall (all : bool) limit before after c s, runs limit (start net before) c s ->
  (if all then before = after /\ rested c else forall q, exists more, after q = before q ++ more) ->
  exists k, leads_to limit (loose_start before) (Loose c s k) /\ stage all before after (Loose c s k).
Proof.
  intros all limit before after c s R S. destruct (every_run_is_one_that_weakens_nothing limit before c s R) as (k & L
    & K).
  exists k. split; auto. destruct all; auto. destruct S as [<- S]. split; auto. apply a_rested_run_is_at_rest; auto.
Qed.

Section Machine.
Variables (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Hypothesis Ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (queues q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

Lemma a_rested_run_has_reported_and_sent_the_values : forall limit c s, runs limit (start net queues) c s -> rested c ->
  forall i v, nth_error net i = Some v ->
  Permutation (if is_terminal (kind_of v) then reported (state c i) else payloads (s i)) (nth i (values queues net) []).
Proof.
  intros limit c s R Rest i v V. destruct (every_run_is_one_that_weakens_nothing limit queues c s R) as (k & L & K).
  exact (a_weakened_run_that_rests_has_reported_and_sent_exactly_the_values queues reach Net Honest Own Ended Far limit
    (Loose c s k) L (a_rested_run_is_at_rest c s k Rest K) i v V).
Qed.
Lemma a_final_run_is_rested : forall c, reaches net (fun _ => unlimited) (start net queues) c ->
  final net (fun _ => unlimited) c -> rested c.
Proof.
  intros c R F. destruct (every_configuration_is_explained net queues _ c R) as (logs & out & arrived & X).
  eapply final_is_rested; eauto.
Qed.

(* PARTE/PROC, PARTE/PROP: every maximal run without capacities, whatever its order of steps: each terminal node has
   reported exactly the value of its vertex, each once (specification: sound-agrees). *)
Theorem a_run_that_rests_has_reported_exactly_the_values : forall c,
  reaches net (fun _ => unlimited) (start net queues) c -> final net (fun _ => unlimited) c ->
  forall i v, nth_error net i = Some v -> is_terminal (kind_of v) = true ->
  Permutation (reported (state c i)) (nth i (values queues net) []).
Proof.
  intros c R F i v V T. pose proof (a_final_run_is_rested c R F) as Rest.
  apply a_run_has_sent_something in R as [s R].
  pose proof (a_rested_run_has_reported_and_sent_the_values _ c s R Rest i v V) as P. rewrite T in P. exact P.
Qed.
End Machine.

Section Early.
Variables (reach : Z) (before after : nat -> list token).
Hypothesis Net : sound_network net reach.
Hypothesis Continued : forall q, exists more, after q = before q ++ more.
Hypothesis Honest : honest_sources after.
Hypothesis Own : own_templates net after.
Hypothesis Ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (after q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees). *)
Theorem what_is_reported_stays_in_the_value : forall limit c, reaches net limit (start net before) c ->
  forall i v, nth_error net i = Some v -> kind_of v = Terminal ->
  exists more, Permutation (reported (state c i) ++ more) (nth i (values after net) []).
Proof.
  intros limit c R i v V T. apply a_run_has_sent_something in R as [s R].
  destruct (every_run_is_one_that_weakens_nothing limit before c s R) as (k & L & _).
  pose proof (what_a_weakened_run_has_reported_and_sent_stays_in_the_value reach before after Net Continued Honest Own
    Ended Far limit _ L i v V) as P. rewrite T in P. exact P.
Qed.
End Early.
End Weakened.
