(* Networks in execution (specification: network-shape, global-rules, capacities). Every vertex names, slot by slot,
   where its tokens come from; the steps are those of semantics/partelang/machine.py, and whoever schedules them may
   take any. *)
From Parte Require Export NodesCorrect.

Section Network.
Context {E : Events}.

Inductive source := External (queue : nat) | Internal (vertex : nat).
Definition source_eqb (a b : source) : bool :=
  match a, b with
  | External x, External y => Nat.eqb x y
  | Internal x, Internal y => Nat.eqb x y
  | _, _ => false
  end.
Record vertex := Vertex { kind_of : kind; sources : list source }.
Definition network := list vertex.

(* What of an execution changes. *)
Record config := Config {
  queue : nat -> list token; inbox : nat -> nat -> list token; outbox : nat -> list token; state : nat -> data }.

(* Specification: capacities. None where nothing is given. `turns`: the sources of an entry node take turns. *)
Record limits := Limits {
  left_room : option nat; right_room : option nat; inbox_room : option nat; outbox_room : option nat; turns : bool }.
Definition unlimited : limits := Limits None None None None false.
Definition fits_in (room : option nat) (n : nat) : bool := match room with Some c => Nat.leb n c | None => true end.

Section Steps.
Variables (net : network) (limit : nat -> limits).

Definition reads (i k : nat) (s : source) : bool :=
  match nth_error net i with
  | Some v => match nth_error (sources v) k with Some s' => source_eqb s s' | None => false end
  | None => false
  end.
Definition slots_of_all : list (nat * nat) :=
  flat_map (fun i => match nth_error net i with
                     | Some v => map (fun k => (i, k)) (seq 0 (length (sources v)))
                     | None => [] end) (seq 0 (length net)).
Definition readers (s : source) : list (nat * nat) := filter (fun ik => reads (fst ik) (snd ik) s) slots_of_all.
Definition room_at_all (c : config) (s : source) : bool :=
  forallb (fun ik => fits_in (inbox_room (limit (fst ik))) (S (length (inbox c (fst ik) (snd ik))))) (readers s).

Definition updated {A} (f : nat -> A) (i : nat) (x : A) : nat -> A := fun j => if Nat.eqb j i then x else f j.
Definition delivered (c : config) (s : source) (t : token) : nat -> nat -> list token :=
  fun i k => if reads i k s then inbox c i k ++ [t] else inbox c i k.
Definition without_first (c : config) (i k : nat) (rest : list token) : nat -> nat -> list token :=
  fun i' k' => if Nat.eqb i' i && Nat.eqb k' k then rest else inbox c i' k'.

(* What a local rule may wait for: room in a history, or its turn (specification: entry-merge). *)
Definition is_external (s : source) : bool := match s with External _ => true | Internal _ => false end.
Definition external_slots (v : vertex) : list nat :=
  filter (fun k => match nth_error (sources v) k with Some s => is_external s | None => false end) (seq 0 (length
    (sources v))).
Definition waits (v : vertex) (l : limits) (d : data) (slot : nat) (t : token) : bool :=
  match kind_of v, payload t with
  | TwoInput negated minima maxima condition, Some p =>
      match slot with
      | O => live_left minima maxima (right_bound d) p && negb (fits_in (left_room l) (S (length (left d))))
             && negb (negated && existsb (fun q => matches minima maxima condition p q) (right d))
      | S _ => live_right minima (left_bounds d) p && negb (fits_in (right_room l) (S (length (right d))))
      end
  | Collecting minima maxima condition, Some _ =>
      let after := fst (collect_change minima maxima condition d slot t) in
      match slot with
      | O => negb (fits_in (left_room l) (length (left after)))
      | S _ => negb (fits_in (right_room l) (length (right after)))
      end
  | Entry _ _, _ =>
      let promises := map (fun k => nth k (left_bounds d) 0) (external_slots v) in
      turns l && existsb (Nat.eqb slot) (external_slots v) && negb (nth slot (left_bounds d) 0 <=? lowest promises)
  | _, _ => false
  end.

Inductive action := Arrive (q : nat) | Process (i slot : nat) | Propagate (i : nat).

(* The environment's step, and the rules of ->g: PARTE/PROC and PARTE/PROP. *)
Definition takes (c : config) (a : action) : option config :=
  match a with
  | Arrive q =>
      match queue c q with
      | [] => None
      | t :: rest =>
          if room_at_all c (External q)
          then Some (Config (updated (queue c) q rest) (delivered c (External q) t) (outbox c) (state c)) else None
      end
  | Process i slot =>
      match nth_error net i, inbox c i slot with
      | Some v, t :: rest =>
          if waits v (limit i) (state c i) slot t then None else
          let '(d, o) := activate (kind_of v) (state c i) slot t in
          if fits_in (outbox_room (limit i)) (length (outbox c i ++ o))
          then Some (Config (queue c) (without_first c i slot rest) (updated (outbox c) i (outbox c i ++ o)) (updated
            (state c) i d))
          else None
      | _, _ => None
      end
  | Propagate i =>
      match outbox c i with
      | [] => None
      | t :: rest =>
          if room_at_all c (Internal i)
          then Some (Config (queue c) (delivered c (Internal i) t) (updated (outbox c) i rest) (state c)) else None
      end
  end.

Definition start (queues : nat -> list token) : config :=
  Config queues (fun _ _ => []) (fun _ => [])
    (fun i => match nth_error net i with Some v => initial (kind_of v) | None => initial Terminal end).
Inductive reaches (c : config) : config -> Prop :=
| Here : reaches c c
| There : forall d a d', reaches c d -> takes d a = Some d' -> reaches c d'.
Definition final (c : config) : Prop := forall a, takes c a = None.
Definition rested (c : config) : Prop :=
  (forall q, queue c q = []) /\ (forall i, outbox c i = []) /\ (forall i k, inbox c i k = []).
End Steps.

Section Theory.
Variables (net : network) (queues : nat -> list token).

(* ---- Logs: what was taken and sent explains a configuration ------------------------------------------------------ *)

Definition origin (sent arrived : nat -> list token) (s : source) : list token :=
  match s with External q => arrived q | Internal j => sent j end.
Record explained (c : config) (logs : nat -> log) (sent arrived : nat -> list token) : Prop := Explained {
  the_data : forall i v, nth_error net i = Some v ->
    run (kind_of v) (initial (kind_of v)) (logs i) = (state c i, sent i ++ outbox c i);
  the_queues : forall q, arrived q ++ queue c q = queues q;
  the_inboxes : forall i k s, reads net i k s = true -> taken k (logs i) ++ inbox c i k = origin sent arrived s;
  no_inbox : forall i k, (forall s, reads net i k s = false) -> inbox c i k = [];
  the_slots : forall i v, nth_error net i = Some v -> Forall (fun x => fst x < length (sources v))%nat (logs i) }.

Lemma source_eqb_eq : forall a b, source_eqb a b = true <-> a = b.
Proof. destruct a, b; simpl; split; intros H; try discriminate; try (apply Nat.eqb_eq in H; congruence); inversion H;
  apply Nat.eqb_refl. Qed.
Lemma source_eqb_refl : forall a, source_eqb a a = true.
Proof. intros. apply source_eqb_eq. auto. Qed.

Lemma reads_one : forall i k s s', reads net i k s = true -> reads net i k s' = true -> s = s'.
Proof.
  unfold reads. intros i k s s'. destruct (nth_error net i); [|discriminate]. destruct (nth_error (sources v) k);
    [|discriminate].
  rewrite !source_eqb_eq. congruence.
Qed.
Lemma reads_spec : forall i k s, reads net i k s = true <-> exists v, nth_error net i = Some v /\ nth_error (sources
  v) k = Some s.
Proof.
  unfold reads. intros. destruct (nth_error net i) as [v|]; [|split; [discriminate|intros (? & ? & ?); discriminate]].
  destruct (nth_error (sources v) k) as [s'|] eqn:N.
  - rewrite source_eqb_eq. split; [intros <-; eauto|intros (v' & Eq & N'); congruence].
  - split; [discriminate|]. intros (v' & Eq & N'). congruence.
Qed.
Lemma reads_or_not : forall i k, (exists s, reads net i k s = true) \/ (forall s, reads net i k s = false).
Proof.
  intros. unfold reads. destruct (nth_error net i) as [v|]; auto. destruct (nth_error (sources v) k) as [s|]; auto.
  left. exists s. apply source_eqb_refl.
Qed.

Lemma updated_same : forall A (f : nat -> A) i x, updated f i x i = x.
Proof. intros. unfold updated. rewrite Nat.eqb_refl. auto. Qed.
Lemma updated_other : forall A (f : nat -> A) i j x, j <> i -> updated f i x j = f j.
Proof. intros. unfold updated. apply Nat.eqb_neq in H. rewrite H. auto. Qed.

Lemma start_explained : explained (start net queues) (fun _ => []) (fun _ => []) (fun _ => []).
Proof.
  constructor; simpl; auto.
  - intros i v H. rewrite H. auto.
  - intros i k [q|j] _; auto.
Qed.

(* Each step arrives, takes or sends one token. *)
Definition grown (c : config) (logs : nat -> log) (sent arrived : nat -> list token)
    (logs' : nat -> log) (sent' arrived' : nat -> list token) : Prop :=
  (exists q t, logs' = logs /\ sent' = sent /\ arrived' = updated arrived q (arrived q ++ [t]) /\ queue c q <> [])
  \/ (exists i x, logs' = updated logs i (logs i ++ [x]) /\ sent' = sent /\ arrived' = arrived /\ (i < length net)%nat)
  \/ (exists i t, logs' = logs /\ sent' = updated sent i (sent i ++ [t]) /\ arrived' = arrived /\ outbox c i <> []).

Lemma step_explained : forall limit c a c' logs sent arrived, explained c logs sent arrived ->
  takes net limit c a = Some c' -> exists logs' sent' arrived', explained c' logs' sent' arrived' /\
  grown c logs sent arrived logs' sent' arrived'.
Proof.
  intros limit c a c' logs sent arrived X T. destruct a as [q|i k|i]; simpl in T.
  - destruct (queue c q) as [|t rest] eqn:Q; [discriminate|].
    destruct (room_at_all net limit c (External q)); inversion T; subst; clear T.
    exists logs, sent, (updated arrived q (arrived q ++ [t])). split.
    2: { left. exists q, t. repeat split; auto. congruence. }
    constructor; simpl.
    + apply X.
    + intros q'. destruct (Nat.eq_dec q' q) as [->|N].
      * rewrite !updated_same, <- app_assoc. simpl. rewrite <- Q. apply X.
      * rewrite !updated_other by auto. apply X.
    + intros i k s R. unfold delivered. pose proof (the_inboxes _ _ _ _ X i k s R) as I.
      destruct (reads net i k (External q)) eqn:R'.
      * assert (s = External q) by (eapply reads_one; eauto). subst. simpl in *. rewrite updated_same, app_assoc, I.
        auto.
      * destruct s as [q'|j]; simpl in *; auto. rewrite updated_other; auto. intros ->. congruence.
    + intros i k R. unfold delivered. rewrite R. apply X; auto.
    + apply X.
  - destruct (nth_error net i) as [v|] eqn:V; [|discriminate]. destruct (inbox c i k) as [|t rest] eqn:I;
    [discriminate|].
    destruct (waits v (limit i) (state c i) k t); [discriminate|].
    destruct (activate (kind_of v) (state c i) k t) as [d o] eqn:Ac.
    destruct (fits_in (outbox_room (limit i)) (length (outbox c i ++ o))); inversion T; subst; clear T.
    exists (updated logs i (logs i ++ [(k, t)])), sent, arrived. split.
    2: { right. left. exists i, (k, t). repeat split; auto. apply nth_error_Some. congruence. }
    constructor; simpl.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same. assert (v' = v) by congruence. subst v'.
        rewrite run_app, (the_data _ _ _ _ X i v V). simpl. rewrite Ac, app_nil_r, app_assoc. auto.
      * rewrite !updated_other by auto. apply X; auto.
    + apply X.
    + intros i' k' s R. unfold without_first. pose proof (the_inboxes _ _ _ _ X i' k' s R) as J.
      destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite updated_same, Nat.eqb_refl, taken_app. simpl. unfold taken at 2. simpl.
        destruct (Nat.eq_dec k' k) as [->|N].
        -- rewrite !Nat.eqb_refl. simpl. rewrite <- app_assoc. simpl. rewrite <- I. auto.
        -- assert (Nat.eqb k' k = false) by (apply Nat.eqb_neq; auto).
           assert (Nat.eqb k k' = false) by (apply Nat.eqb_neq; auto). rewrite H, H0. simpl. rewrite app_nil_r. auto.
      * rewrite updated_other by auto. apply Nat.eqb_neq in N. rewrite N. auto.
    + intros i' k' R. unfold without_first. destruct (Nat.eqb i' i && Nat.eqb k' k) eqn:B.
      * apply andb_true_iff in B as [B1 B2]. apply Nat.eqb_eq in B1, B2. subst.
        pose proof (no_inbox _ _ _ _ X i k R). congruence.
      * apply X; auto.
    + intros i' v' V'. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite updated_same. assert (v' = v) by congruence. subst v'. apply Forall_app; split; [apply X; auto|].
        constructor; auto. simpl. destruct (reads_or_not i k) as [[s R]|R].
        -- apply reads_spec in R as (v' & V2 & S). assert (v' = v) by congruence. subst v'.
           apply nth_error_Some. congruence.
        -- pose proof (no_inbox _ _ _ _ X i k R). congruence.
      * rewrite updated_other by auto. apply X; auto.
  - destruct (outbox c i) as [|t rest] eqn:O; [discriminate|].
    destruct (room_at_all net limit c (Internal i)); inversion T; subst; clear T.
    exists logs, (updated sent i (sent i ++ [t])), arrived. split.
    2: { right. right. exists i, t. repeat split; auto. congruence. }
    constructor; simpl.
    + intros i' v V. destruct (Nat.eq_dec i' i) as [->|N].
      * rewrite !updated_same, <- app_assoc. simpl. rewrite <- O. apply X; auto.
      * rewrite !updated_other by auto. apply X; auto.
    + apply X.
    + intros i' k s R. unfold delivered. pose proof (the_inboxes _ _ _ _ X i' k s R) as J.
      destruct (reads net i' k (Internal i)) eqn:R'.
      * assert (s = Internal i) by (eapply reads_one; eauto). subst. simpl in *. rewrite updated_same, app_assoc, J.
        auto.
      * destruct s as [q'|j]; simpl in *; auto. rewrite updated_other; auto. intros ->. congruence.
    + intros i' k R. unfold delivered. rewrite R. apply X; auto.
    + apply X.
Qed.

(* PARTE/PROC, PARTE/PROP: a configuration is what the logs of its nodes make it, whatever the schedule. *)
Theorem every_configuration_is_explained : forall limit c, reaches net limit (start net queues) c ->
  exists logs sent arrived, explained c logs sent arrived.
Proof.
  intros limit c R. remember (start net queues) as c0. induction R; subst.
  - exists (fun _ => []), (fun _ => []), (fun _ => []). apply start_explained.
  - destruct IHR as (l & s & a' & X); auto.
    destruct (step_explained limit _ _ _ _ _ _ X H) as (l' & s' & a'' & X' & _). eauto.
Qed.

(* ---- Which networks, which sources --------------------------------------------------------------------------------
   *)

Definition width_of_source (s : source) : nat :=
  match s with
  | External _ => 1%nat
  | Internal j => match nth_error net j with Some v => width_of (kind_of v) | None => 1%nat end
  end.
Definition widths (v : vertex) : list nat := map width_of_source (sources v).
(* Productions that an entry node reads emit events of its template (specification: one-rule-applies). *)
Definition emits_only (n : nat) (k : kind) : Prop :=
  match k with Production generate _ _ => forall p e, generate p = Some e -> template e = n | _ => False end.
Variable reach : Z.
Record sound_at (i : nat) (v : vertex) : Prop := SoundAt {
  its_kind : well_formed reach (kind_of v) (widths v);
  its_sources : forall j, In (Internal j) (sources v) ->
    (j < i)%nat /\ exists u, nth_error net j = Some u /\ is_terminal (kind_of u) = false;
  its_template : forall n slots j, kind_of v = Entry n slots -> In (Internal j) (sources v) ->
    exists u, nth_error net j = Some u /\ emits_only n (kind_of u) }.
Definition sound_network : Prop := forall i v, nth_error net i = Some v -> sound_at i v.
Definition honest_sources : Prop := forall q, honest 1 (queues q).
Definition own_templates : Prop := forall i v n slots q, nth_error net i = Some v -> kind_of v = Entry n slots ->
  In (External q) (sources v) -> Forall (fun p => of_template n p = true) (payloads (queues q)).
Hypothesis Net : sound_network.
Hypothesis Honest : honest_sources.

Lemma promises_kept : forall c logs sent arrived, explained c logs sent arrived ->
  forall i v, nth_error net i = Some v ->
  keeps_promises (widths v) (logs i) /\ (is_terminal (kind_of v) = false -> honest (width_of (kind_of v)) (sent i ++
    outbox c i)).
Proof.
  intros c logs sent arrived X i. induction i as [i IH] using lt_wf_ind. intros v V.
  assert (K : keeps_promises (widths v) (logs i)).
  { split.
    - unfold widths. rewrite map_length. apply (the_slots _ _ _ _ X i v V).
    - intros k w Hk. unfold widths in Hk. rewrite nth_error_map in Hk. destruct (nth_error (sources v) k) as [s|]
      eqn:Sk; [|discriminate].
      inversion Hk; subst w. assert (R : reads net i k s = true) by (apply reads_spec; eauto).
      pose proof (the_inboxes _ _ _ _ X i k s R) as J. apply honest_prefix with (inbox c i k). rewrite J.
      destruct s as [q|j]; simpl.
      + apply honest_prefix with (queue c q). rewrite (the_queues _ _ _ _ X). apply Honest.
      + destruct (its_sources i v (Net i v V) j) as (L & u & U & Nt); [eapply nth_error_In; eauto|].
        rewrite U. apply honest_prefix with (outbox c j). apply IH; auto. }
  split; auto. intros T. pose proof (a_node_keeps_its_promises reach (kind_of v) (widths v) (logs i) (its_kind i v
    (Net i v V)) T K) as H.
  rewrite (the_data _ _ _ _ X i v V) in H. exact H.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: bounds-on-later-payloads). At every moment, under every schedule and every
   capacities, what each node has sent and what waits in its outbox keep the promises. *)
Theorem every_edge_keeps_its_promises : forall limit c, reaches net limit (start net queues) c ->
  exists sent, forall i v, nth_error net i = Some v -> is_terminal (kind_of v) = false ->
  honest (width_of (kind_of v)) (sent i ++ outbox c i).
Proof.
  intros limit c R. destruct (every_configuration_is_explained limit c R) as (logs & sent & arrived & X).
  exists sent. intros. eapply promises_kept; eauto.
Qed.

(* ---- The value of every vertex ------------------------------------------------------------------------------------
   *)

Definition looked_up (known : list (list partial)) (s : option source) : list partial :=
  match s with
  | None => []
  | Some (External q) => payloads (queues q)
  | Some (Internal j) => nth j known []
  end.
Definition valued (known : list (list partial)) (v : vertex) : list partial :=
  value_of (kind_of v) (fun k => looked_up known (nth_error (sources v) k)).
Definition values (g : network) : list (list partial) := fold_left (fun known v => known ++ [valued known v]) g [].

Lemma values_snoc : forall g v, values (g ++ [v]) = values g ++ [valued (values g) v].
Proof. intros. unfold values. rewrite fold_left_app. auto. Qed.
Lemma values_length : forall g, length (values g) = length g.
Proof. induction g using rev_ind; auto. rewrite values_snoc, !app_length, IHg. auto. Qed.
Lemma values_prefix : forall g h i, (i < length g)%nat -> nth i (values (g ++ h)) [] = nth i (values g) [].
Proof.
  intros g h. induction h using rev_ind; intros i L; [rewrite app_nil_r; auto|].
  rewrite app_assoc, values_snoc, app_nth1; auto. rewrite values_length, app_length. lia.
Qed.

Lemma value_of_ext : forall k f g, (forall s, f s = g s) -> value_of k f = value_of k g.
Proof.
  intros k f g H. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n c|ge a lag|]; simpl; rewrite ?H;
    auto.
  f_equal. apply flat_map_ext. auto.
Qed.

Lemma value_at : forall i v, nth_error net i = Some v -> nth i (values net) [] = valued (values net) v.
Proof.
  intros i v V. destruct (nth_error_split net i V) as (g & h & Eq & L).
  assert (Eq' : net = (g ++ [v]) ++ h) by (rewrite <- app_assoc; auto).
  rewrite Eq'. rewrite values_prefix by (rewrite app_length; simpl; lia).
  rewrite values_snoc, app_nth2; rewrite values_length, L; [|lia]. rewrite Nat.sub_diag. simpl.
  unfold valued. apply value_of_ext. intros k. destruct (nth_error (sources v) k) as [[q|j]|] eqn:S; simpl; auto.
  destruct (its_sources i v (Net i v V) j) as (Lt & _); [eapply nth_error_In; eauto|].
  assert (Lj : (j < length g)%nat) by lia. rewrite <- app_assoc, (values_prefix g _ j Lj). auto.
Qed.

Lemma list_prod_permutation : forall (A B : Type) (a a' : list A) (b b' : list B), Permutation a a' -> Permutation b
  b' ->
  Permutation (list_prod a b) (list_prod a' b').
Proof.
  intros A B a a' b b' Ha Hb. transitivity (list_prod a' b).
  - clear Hb. induction Ha; simpl; auto.
    + apply Permutation_app_head. auto.
    + rewrite !app_assoc. apply Permutation_app_tail. apply Permutation_app_comm.
    + eapply perm_trans; eauto.
  - clear Ha. induction a'; simpl; auto. apply Permutation_app; auto. apply Permutation_map. auto.
Qed.

Lemma value_of_permutation : forall k f g, (forall s, Permutation (f s) (g s)) -> Permutation (value_of k f) (value_of
  k g).
Proof.
  intros k f g H. destruct k as [n slots|c|negated minima maxima c|minima maxima c|n c|ge a lag|]; simpl; auto.
  - apply filter_permutation. induction (seq 0 slots); simpl; auto. apply Permutation_app; auto.
  - apply filter_permutation; auto.
  - destruct negated.
    + rewrite (filter_permutation _ _ _ (H 0%nat)). erewrite filter_ext; [reflexivity|].
      intros p. apply undefeated_permutation; auto.
    + unfold joined. apply Permutation_map, filter_permutation, list_prod_permutation; auto.
  - rewrite (Permutation_map _ (H 0%nat)). erewrite map_ext; [reflexivity|]. intros p. apply collection_same.
    intros q _. split; apply Permutation_in; [|symmetry]; auto.
  - apply filter_permutation; auto.
  - apply Permutation_flat_map; auto.
Qed.

(* ---- Lags, and the end of a run -------------------------------------------------------------------------------- *)

Definition lags (i : nat) : Z := fold_right Z.add 0 (map (fun v => lag_of (kind_of v)) (firstn i net)).
Hypothesis Own : own_templates.

Lemma lag_nonnegative : forall i v, nth_error net i = Some v -> 0 <= lag_of (kind_of v).
Proof.
  intros i v V. pose proof (its_kind i v (Net i v V)) as W. destruct (kind_of v); simpl in *; try lia.
  destruct W as (w & _ & L & _). lia.
Qed.

Lemma lags_next : forall i v, nth_error net i = Some v -> lags (S i) = lags i + lag_of (kind_of v).
Proof.
  intros i v V. unfold lags. destruct (nth_error_split net i V) as (g & h & Eq & L).
  rewrite Eq. rewrite firstn_app, firstn_app, L, Nat.sub_diag. replace (S i - i)%nat with 1%nat by lia.
  rewrite !firstn_all2 with (l := g) by lia. simpl. rewrite app_nil_r, map_app, fold_right_app. simpl.
  generalize (map (fun v => lag_of (kind_of v)) g). induction l as [|x l IH]; simpl; [lia|]. rewrite IH. lia.
Qed.

Lemma lags_mono : forall i j, (i <= j)%nat -> (j <= length net)%nat -> lags i <= lags j.
Proof.
  intros i j L. induction L; intros B; [lia|]. destruct (nth_error net m) as [v|] eqn:V.
  - rewrite (lags_next m v V). pose proof (lag_nonnegative m v V). assert (lags i <= lags m) by (apply IHL; lia). lia.
  - apply nth_error_None in V. lia.
Qed.

Lemma ended_weaker : forall x y l, y <= x -> ended x l -> ended y l.
Proof. intros x y l L (b & t & Eq & F). exists b, t. split; auto. eapply Forall_impl; [|exact F]. simpl. intros. lia.
  Qed.

Lemma final_is_rested : forall c logs sent arrived, explained c logs sent arrived ->
  final net (fun _ => unlimited) c -> rested c.
Proof.
  intros c logs sent arrived X F.
  assert (Room : forall s, room_at_all net (fun _ => unlimited) c s = true).
  { intros s. unfold room_at_all. apply forallb_forall. auto. }
  split; [|split].
  - intros q. specialize (F (Arrive q)). simpl in F. destruct (queue c q); auto. rewrite Room in F. discriminate.
  - intros i. specialize (F (Propagate i)). simpl in F. destruct (outbox c i); auto. rewrite Room in F. discriminate.
  - intros i k. specialize (F (Process i k)). simpl in F. destruct (reads_or_not i k) as [[s R]|R].
    + apply reads_spec in R as (v & V & S). rewrite V in F. destruct (inbox c i k) as [|t rest]; auto.
      assert (N : waits v unlimited (state c i) k t = false).
      { unfold waits, unlimited. simpl. destruct (kind_of v), (payload t); auto; simpl.
        all: destruct k; rewrite ?andb_false_r; auto. }
      rewrite N in F. destruct (activate (kind_of v) (state c i) k t). discriminate.
    + eapply no_inbox; eauto.
Qed.

Lemma emitted_only : forall generate n l, (forall p e, generate p = Some e -> template e = n) ->
  Forall (fun p => of_template n p = true) (flat_map (emitted generate) l).
Proof.
  intros generate n l H. apply Forall_flat_map, Forall_forall. intros p _. unfold emitted.
  destruct (generate p) as [e|] eqn:G; constructor; auto. simpl. apply Nat.eqb_eq. eauto.
Qed.

End Theory.
End Network.
