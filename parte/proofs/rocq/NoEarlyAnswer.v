(* No early answer: what has been reported at any moment is in the algebra's result of every continuation
   (specification:
   sound-agrees, terminal-nodes). Capacities and schedule play no part. *)
From Parte Require Export Adequacy.

Section Network.
Context {E : Events}.
Variables (net : network) (reach : Z) (before after : nat -> list token).
Hypothesis Net : sound_network net reach.
Hypothesis Continued : forall q, exists more, after q = before q ++ more.

Definition sent_by (logs : nat -> log) (j : nat) : list token :=
  match nth_error net j with Some u => snd (run (kind_of u) (initial (kind_of u)) (logs j)) | None => [] end.
Definition whole (logs : nat -> log) (s : source) : list token :=
  match s with External q => after q | Internal j => sent_by logs j end.

(* Logs that go on from those of a run until nothing is left. *)
Definition completed (logs logs' : nat -> log) (n : nat) : Prop := forall i v, (i < n)%nat -> nth_error net i = Some v
  ->
  (exists more, logs' i = logs i ++ more) /\ Forall (fun x => fst x < length (sources v))%nat (logs' i) /\
  forall k s, nth_error (sources v) k = Some s -> taken k (logs' i) = whole logs' s.

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

Lemma logs_complete : forall c logs sent arrived, explained net before c logs sent arrived ->
  forall n, exists logs', completed logs logs' n.
Proof.
  intros c logs sent arrived X n. induction n as [|n [logs' H]].
  - exists logs. intros i v L. lia.
  - destruct (nth_error net n) as [v|] eqn:V.
    + set (rest := fun k => match nth_error (sources v) k with
                            | Some s => skipn (length (taken k (logs n))) (whole logs' s) | None => [] end).
      set (more := flat_map (fun j => map (pair j) (rest j)) (seq 0 (length (sources v)))).
      exists (updated logs' n (logs n ++ more)).
      assert (Same : forall i u s, nth_error net i = Some u -> (i <= n)%nat -> In s (sources u) ->
        whole (updated logs' n (logs n ++ more)) s = whole logs' s).
      { intros i u [q|j] U L I; simpl; auto. destruct (its_sources _ _ _ _ (Net i u U) j I) as (Lt & _).
        unfold sent_by. rewrite updated_other by lia. auto. }
      intros i u L U. destruct (Nat.eq_dec i n) as [->|N].
      * assert (u = v) by congruence. subst u. rewrite updated_same. split; [eauto|split].
        -- apply Forall_app; split; [apply (the_slots _ _ _ _ _ _ X); auto|]. apply Forall_flat_map, Forall_forall.
           intros k Hk. apply in_seq in Hk. apply Forall_map, Forall_forall. simpl. intros. lia.
        -- intros k s S. assert (Lk : (k < length (sources v))%nat) by (apply nth_error_Some; congruence).
           rewrite (Same n v s V), taken_app by (auto; eapply nth_error_In; eauto).
           unfold more. rewrite taken_of_slots by lia. unfold rest. rewrite S.
           assert (P : exists r, whole logs' s = taken k (logs n) ++ r).
           { assert (R : reads net n k s = true) by (apply reads_spec; eauto).
             pose proof (the_inboxes _ _ _ _ _ _ X n k s R) as I. destruct s as [q|j]; simpl in *.
             - destruct (Continued q) as (m & Eq). pose proof (the_queues _ _ _ _ _ _ X q) as Q.
               exists (inbox c n k ++ queue c q ++ m). rewrite Eq, <- Q, <- I, <- !app_assoc. auto.
             - destruct (its_sources _ _ _ _ (Net n v V) j) as (Lt & w & W & _); [eapply nth_error_In; eauto|].
               destruct (H j w Lt W) as ((m & Eq) & _). unfold sent_by. rewrite W, Eq, run_app, (the_data _ _ _ _ _ _
                 X j w W).
               destruct (run (kind_of w) (state c j) m) as [d o]. simpl.
               exists (inbox c n k ++ outbox c j ++ o). rewrite <- I, <- !app_assoc. auto. }
           destruct P as (r & Eq). rewrite Eq, skipn_app, skipn_all, Nat.sub_diag. auto.
      * rewrite updated_other by auto. destruct (H i u) as (A & B & C); [lia|auto|]. split; [auto|split; [auto|]].
        intros k s S. rewrite (Same i u s U); [auto|lia|]. eapply nth_error_In; eauto.
    + exists logs'. intros i u L U. apply H; auto. assert (i <> n) by congruence. lia.
Qed.

Hypothesis Honest : honest_sources after.
Hypothesis Own : own_templates net after.
Hypothesis Ended : forall i v q, nth_error net i = Some v -> In (External q) (sources v) -> ended infinity (after q).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees). *)
Theorem what_is_reported_stays_in_the_value : forall limit c, reaches net limit (start net before) c ->
  forall i v, nth_error net i = Some v -> kind_of v = Terminal ->
  exists more, Permutation (reported (state c i) ++ more) (nth i (values after net) []).
Proof.
  intros limit c R i v V T. destruct (every_configuration_is_explained net before limit c R) as (logs & sent & arrived
    & X).
  destruct (logs_complete c logs sent arrived X (length net)) as (logs' & H).
  set (c' := Config (fun _ => []) (fun _ _ => []) (fun _ => [])
    (fun i => match nth_error net i with Some v => fst (run (kind_of v) (initial (kind_of v)) (logs' i)) | None =>
      initial Terminal end)).
  assert (X' : explained net after c' logs' (sent_by logs') after).
  { constructor; simpl; auto.
    - intros j u U. rewrite U. unfold sent_by. rewrite U. destruct (run _ _ (logs' j)). simpl. rewrite app_nil_r. auto.
    - intros q. apply app_nil_r.
    - intros j k s Rd. rewrite app_nil_r. apply reads_spec in Rd as (u & U & S).
      destruct (H j u) as (_ & _ & W); [apply nth_error_Some; congruence|auto|]. rewrite (W k s S). destruct s; auto.
    - intros j u U. destruct (H j u) as (_ & W & _); [apply nth_error_Some; congruence|auto|auto]. }
  assert (Rest : rested c') by (split; [|split]; simpl; auto).
  destruct (adequate_at net after reach Net Honest Own Ended Far c' logs' (sent_by logs') after X' Rest i v V) as [P _].
  rewrite T in P. simpl in P. rewrite V, T in P.
  destruct (H i v) as ((more & Eq) & _); [apply nth_error_Some; congruence|auto|].
  exists (payloads (map snd more)). rewrite <- P, Eq, reported_by_a_terminal, map_app, payloads_app.
  pose proof (the_data _ _ _ _ _ _ X i v V) as D. rewrite T in D.
  replace (state c i) with (fst (run Terminal (initial Terminal) (logs i))) by (rewrite D; auto).
  rewrite reported_by_a_terminal. simpl. auto.
Qed.

End Network.

Section Program.
Context {E : Events}.
Variables (queues_of : nat -> list nat) (reach : Z) (p : program).
Hypothesis Checked : checked queues_of reach [] [] p.
Let net := graph (compile queues_of p).
Hypothesis Far : horizon + reach + lags net (length net) < infinity.

(* Theorem (no early answer; specification: sound-agrees). Whatever has come so far and however it goes on, as long as
   promises are kept: what has been reported is among the values of the whole, each as often as there at most. *)
Theorem what_is_reported_is_in_the_result_of_every_continuation : forall before after stream,
  (forall q, exists more, after q = before q ++ more) ->
  (forall q, honest 1 (after q)) ->
  (forall t q, In q (queues_of t) -> ended infinity (after q)) ->
  (forall t q, In q (queues_of t) -> Forall (fun v => of_template t v = true) (payloads (after q))) ->
  (forall t, Permutation (of t stream) (sent_from_outside queues_of after t)) ->
  forall limit c, reaches net limit (start net before) c ->
  Forall2 (fun i r => exists more, Permutation (reported (state c i) ++ more) r) (ends (compile queues_of p)) (results
    p stream).
Proof.
  intros before after stream Con Honest Ended Typed Arr limit c R.
  pose proof (values_are_results queues_of reach after p stream Checked Arr) as V.
  induction V as [|i r l res [(v & Vi & T) P] V IH]; constructor; auto.
  destruct (what_is_reported_stays_in_the_value net reach before after) with (limit := limit) (c := c) (i := i) (v :=
    v) as (more & M); auto.
  - apply a_checked_program_compiles_to_a_sound_network. auto.
  - apply (own_templates_kept queues_of reach after Typed p stream Checked Arr).
  - apply (sources_ended queues_of reach after p stream Checked Arr Ended).
  - exists more. rewrite M. auto.
Qed.
End Program.
