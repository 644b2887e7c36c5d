(* When the machine reports a match of a rule of the language (specification: prompt-reports): Prompt.v for rules with
   alternatives, sets and windows without a beginning. Each of these is the machine's rule for one of the cases. *)
From Parte Require Export Language Prompt.

Section Written.
Context {E : Events}.
Variables (queues_of : nat -> list nat) (reach : Z) (p : list written_stratum).
Let compiled_program := compile (heard queues_of (closed_program p)) (closed_program p).
Let net := graph compiled_program.
Hypothesis Checked : checked_but_for_sources (closed_program p) reach.
Hypothesis Related : all_related p.
Notation sources := (heard queues_of (closed_program p)).
Notation program_ := (closed_program p).

Definition written_rules (p : list written_stratum) : list written := flat_map w_rules p.
Lemma closed_rules : forall q, rules_of (closed_program q) = map close (written_rules q).
Proof. unfold rules_of, written_rules. induction q as [|s q IH]; simpl; auto. rewrite IH, map_app. auto. Qed.

Lemma written_at_rest : forall queues stream, sends queues_of queues stream -> forall limit x,
  leads_to net limit (loose_start net (heard_queues queues)) x -> is_at_rest net x ->
  Forall2 (fun i r => (exists waiting,
    Permutation (reported (state (plain x) i) ++ waiting) (values_of (events_there sources program_ stream x) r) /\
    Forall (undecided_now sources program_ (heard_queues queues) x (close r)) waiting) /\
    (steady_now sources program_ (heard_queues queues) x (close r) ->
      Forall (fun v => decided_now sources program_ (heard_queues queues) x (close r) v = true)
        (reported (state (plain x) i))))
  (ends compiled_program) (written_rules p).
Proof.
  intros queues stream S limit x R Rest. destruct (heard_sends queues_of program_ queues stream S) as (Ho & Te & St).
  pose proof (program_at_rest sources reach program_ (heard_checked _ _ _ Checked) (heard_queues queues) stream Ho Te St
    limit x R Rest) as P.
  rewrite closed_rules in P. fold compiled_program in P.
  assert (V : Forall related (written_rules p)).
  { unfold written_rules. apply Forall_flat_map. exact Related. }
  revert P V. generalize (ends compiled_program), (written_rules p). intros is rs. revert is.
  induction rs as [|r rs IH]; intros is P V; simpl in P; inversion P as [|i ? is' ? P1 P2]; subst; constructor;
    inversion V as [|? ? Vr V']; subst; auto.
  rewrite (a_closed_rule_means_what_is_written _ r Vr) in P1. exact P1.
Qed.
End Written.

Section Language.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.
Notation carrying := (carrying precedes Order).
Notation fresh := (fresh precedes Order).
Variables (queues_of : nat -> list nat) (reach : Z) (p : full_program).
Let machine_program := lifted_program precedes Order (cases_of_program p).
Let sources := @heard carrying queues_of (closed_program machine_program).
Let compiled_program := @compile carrying sources (closed_program machine_program).
Let net := graph compiled_program.
Hypothesis Checked : @checked_but_for_sources carrying (closed_program machine_program) reach.
Hypothesis Related : @all_related carrying machine_program.
Hypothesis Different : Forall (fun s => Forall alternatives_differ (f_rules s)) p.
Variables (queues : nat -> list (@token carrying)) (stream : list event).
Hypothesis Sends : @sends carrying queues_of queues (map fresh stream).
Variables (limit : nat -> limits) (x : @loose carrying).
Hypothesis Run : leads_to net limit (loose_start net (heard_queues queues)) x.
Hypothesis Rest : is_at_rest net x.

Definition full_rules : list full_rule := flat_map f_rules p.
Definition terminals : list (list nat) := together (counts p) (ends compiled_program).
(* Specification: prompt-reports. The events from outside that have arrived, and what the reported matches emit. *)
Definition all_events_there : list event := stream ++
  flat_map (fun isr => emitted_of (f_emissions (snd isr)) (reported_by precedes Order (plain x) (fst isr)))
    (combine terminals full_rules).
(* The machine's rule for a case of a rule, and whether a match of it is decided. *)
Definition of_case (c : rule_with_sets) : @rule carrying := close (lifted precedes Order c).
Definition open_in (c : rule_with_sets) (m : partial * list (list event)) : bool :=
  @open_now carrying sources (closed_program machine_program) (heard_queues queues) x (of_case c)
    (carried precedes Order (fst m) (snd m)).
Definition steady_in (r : full_rule) : Prop := Forall (fun c =>
  @steady_now carrying sources (closed_program machine_program) (heard_queues queues) x (of_case c)) (cases r).

Lemma lifted_rules : @written_rules carrying machine_program = map (lifted precedes Order) (flat_map cases full_rules).
Proof.
  unfold written_rules, machine_program, full_rules. clear. induction p as [|s q IH]; auto.
  change (map (lifted precedes Order) (flat_map cases (f_rules s)) ++ flat_map w_rules (lifted_program precedes Order
    (cases_of_program q)) = map (lifted precedes Order) (flat_map cases (flat_map f_rules (s :: q)))).
  simpl. rewrite flat_map_app, map_app. f_equal. exact IH.
Qed.

Lemma combine_apart : forall A B (a b : list A) (c d : list B), length a = length c ->
  combine (a ++ b) (c ++ d) = combine a c ++ combine b d.
Proof. induction a as [|y a IH]; intros b [|z c] d L; simpl in *; try discriminate; auto. f_equal. apply IH. lia. Qed.
Lemma counts_are : counts p = map (fun r => length (cases r)) full_rules.
Proof.
  unfold counts, full_rules. clear. induction p as [|s q IH]; simpl; auto. rewrite map_app. f_equal. exact IH.
Qed.

Lemma cases_emit : forall r c, In c (cases r) -> s_emissions c = f_emissions r.
Proof.
  intros r c I. unfold cases in I. apply in_flat_map in I as (a & _ & I). apply in_map_iff in I as (ls & <- & _). auto.
Qed.
Lemma emitted_both : forall ms (a b : list (partial * list (list event))),
  Permutation (emitted_of ms (a ++ b)) (emitted_of ms a ++ emitted_of ms b).
Proof.
  intros ms a b. unfold emitted_of. induction ms as [|m ms IH]; simpl; auto.
  rewrite IH, flat_map_app, <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma emitted_by_cases : forall (rep : nat -> list (partial * list (list event))) rs is,
  length is = length (flat_map cases rs) ->
  Permutation (flat_map (fun ic => emitted_of (s_emissions (snd ic)) (rep (fst ic))) (combine is (flat_map cases rs)))
    (flat_map (fun isr => emitted_of (f_emissions (snd isr)) (flat_map rep (fst isr)))
      (combine (together (map (fun r => length (cases r)) rs) is) rs)).
Proof.
  intros rep. induction rs as [|r rs IH]; intros is L; simpl in *; [destruct is; auto|].
  rewrite app_length in L. rewrite <- (firstn_skipn (length (cases r)) is) at 1.
  rewrite combine_apart by (rewrite firstn_length; lia). rewrite flat_map_app.
  apply Permutation_app; [|apply IH; rewrite skipn_length; lia].
  assert (Lf : length (firstn (length (cases r)) is) = length (cases r)) by (rewrite firstn_length; lia).
  pose proof (cases_emit r) as C. revert Lf C. clear. generalize (firstn (length (cases r)) is). intros js. generalize
    (cases r).
  intros cs. revert js. induction cs as [|c cs IH]; intros [|i js] L C; simpl in *; try discriminate.
  - clear. unfold emitted_of. induction (f_emissions r); simpl; auto.
  - rewrite emitted_both, (C c) by auto. apply Permutation_app_head. apply IH; auto.
Qed.
Lemma as_many : length (ends compiled_program) = length (flat_map cases full_rules).
Proof.
  pose proof (@written_at_rest carrying queues_of reach machine_program Checked Related queues _ Sends limit x Run
    Rest) as P.
  apply related_lists_are_as_long in P. rewrite lifted_rules, map_length in P. exact P.
Qed.

Lemma lifted_emits : forall (c : rule_with_sets) V,
  flat_map (@emitted_by carrying V) (emissions (of_case c)) =
  map fresh (emitted_of (s_emissions c) (map (reported_match precedes Order) V)).
Proof.
  intros c V. unfold of_case. simpl. induction (s_emissions c) as [|m ms IH]; auto.
  simpl. rewrite map_app. f_equal; [|exact IH]. clear IH. unfold emitted_by.
  induction V as [|v V IH]; auto. simpl. rewrite map_app. f_equal; [|exact IH].
  destruct (s_generate m (bare precedes Order v) (sets_of precedes Order v)); auto.
Qed.

Lemma events_lifted : exists there, @events_there carrying sources (closed_program machine_program) (map fresh stream)
  x =
  map fresh there /\ Permutation there all_events_there.
Proof.
  unfold events_there, emitted_so_far. fold compiled_program.
  exists (stream ++ flat_map (fun ic => emitted_of (s_emissions (snd ic)) (map (reported_match precedes Order)
    (reported (state (plain x) (fst ic))))) (combine (ends compiled_program) (flat_map cases full_rules))).
  split.
  - refine (eq_trans _ (eq_sym (map_app fresh _ _))). f_equal.
    rewrite closed_rules, lifted_rules. generalize (ends compiled_program), (flat_map cases full_rules).
    intros is cs. revert is. induction cs as [|c cs IH]; intros [|i is]; auto.
    simpl. rewrite map_app. f_equal; [|apply IH]. apply lifted_emits.
  - apply Permutation_app_head. unfold all_events_there, terminals. rewrite counts_are.
    exact (emitted_by_cases (fun i => map (reported_match precedes Order) (reported (state (plain x) i))) _ _ as_many).
Qed.

Lemma case_at_rest : forall there,
  @events_there carrying sources (closed_program machine_program) (map fresh stream) x = map fresh there ->
  Forall2 (fun i c => (exists waiting,
    Permutation (map (reported_match precedes Order) (reported (state (plain x) i)) ++ waiting)
      (matches_of precedes there c) /\ Forall (fun m => open_in c m = true) waiting) /\
    (@steady_now carrying sources (closed_program machine_program) (heard_queues queues) x (of_case c) ->
      Forall (fun m => open_in c m = false) (map (reported_match precedes Order) (reported (state (plain x) i)))))
  (ends compiled_program) (flat_map cases full_rules).
Proof.
  intros there Eq.
  pose proof (@written_at_rest carrying queues_of reach machine_program Checked Related queues _ Sends limit x Run
    Rest) as P.
  rewrite lifted_rules in P. fold sources in P. fold compiled_program in P. rewrite Eq in P.
  revert P. generalize (ends compiled_program), (flat_map cases full_rules). intros is cs. revert is.
  induction cs as [|c cs IH]; intros is P; simpl in P; inversion P as [|i ? is' ? P1 P2]; subst; constructor; auto.
  clear IH P P2. destruct P1 as ((w & Pw0 & Uw) & D).
  assert (Pw : Permutation (reported (state (plain x) i) ++ w)
    (map (fun m => carried precedes Order (fst m) (snd m)) (matches_of precedes there c))).
  { refine (perm_trans Pw0 _). rewrite <- (rule_lifted precedes Order there c). apply Permutation_refl. }
  assert (W : Forall (fun m => fst m <> []) (matches_of precedes there c)).
  { apply Forall_forall. intros [v sets_] I. unfold matches_of in I. apply in_map_iff in I as (u & Eu & I).
    inversion Eu; subst. apply filter_In in I as [I _]. pose proof (positive_widths there c) as Wd.
    rewrite Forall_forall in Wd. specialize (Wd v I). pose proof (positives_some (s_links c) 1 ltac:(lia)).
    simpl. intros ->. simpl in Wd. lia. }
  assert (Back : Forall (fun v => carried precedes Order (fst (reported_match precedes Order v)) (snd (reported_match
    precedes Order v)) = v) (reported (state (plain x) i) ++ w)).
  { rewrite Pw. apply Forall_map. eapply Forall_impl; [|exact W]. intros [[|e v] s_] N; [simpl in N; congruence|].
    exact (f_equal (fun b => carried precedes Order b s_) (bare_carried precedes Order (e :: v) s_)). }
  apply Forall_app in Back as [B1 B2]. split.
  - exists (map (reported_match precedes Order) w). split.
    + rewrite <- map_app. refine (perm_trans (Permutation_map (reported_match precedes Order) Pw) _).
      rewrite <- (reported_carried precedes Order (matches_of precedes there c) W) at 2. apply Permutation_refl.
    + apply Forall_map. rewrite Forall_forall in *. intros v I. unfold open_in. rewrite (B2 v I). apply (Uw v I).
  - intros St. specialize (D St). apply Forall_map. rewrite Forall_forall in *. intros v I. unfold open_in.
    rewrite (B1 v I). specialize (D v I). unfold decided_now in D. apply negb_true_iff in D. exact D.
Qed.

(* PARTE/PROC, PARTE/PROP (specification: prompt-reports, alternative-cases, moments): at rest at any time, each match
   of the events that are there has been reported, each once, but those that have a negated pattern or a set whose
   window has not passed the bound; and what has been reported has none, if the bounds that decide have not decreased.
   *)
Theorem every_match_that_is_decided_has_been_reported_at_rest :
  Forall2 (fun is r => (exists waiting,
    Permutation (reported_by precedes Order (plain x) is ++ waiting) (matches_of_rule precedes all_events_there r) /\
    Forall (fun m => exists c, In c (cases r) /\ open_in c m = true) waiting) /\
    (steady_in r -> Forall (fun m => exists c, In c (cases r) /\ open_in c m = false)
      (reported_by precedes Order (plain x) is)))
  terminals full_rules.
Proof.
  destruct events_lifted as (there & Eq & Same). pose proof (case_at_rest there Eq) as P.
  assert (D : Forall alternatives_differ full_rules).
  { unfold full_rules. apply Forall_flat_map. exact Different. }
  unfold terminals. rewrite counts_are. revert P D. generalize (ends compiled_program), full_rules.
  intros is rs. revert is. induction rs as [|r rs IH]; intros is P D; simpl; constructor;
    inversion D as [|? ? Dr Drs]; subst.
  - clear IH. simpl in P. apply Forall2_app_inv_r in P as (is1 & is2 & P1 & _ & ->).
    assert (L : length is1 = length (cases r)) by (eapply related_lists_are_as_long; eauto).
    rewrite firstn_app, L, Nat.sub_diag, firstn_all2, app_nil_r by lia.
    assert (G : forall cs is, incl cs (cases r) -> Forall2 (fun i c => (exists waiting,
        Permutation (map (reported_match precedes Order) (reported (state (plain x) i)) ++ waiting)
          (matches_of precedes there c) /\ Forall (fun m => open_in c m = true) waiting) /\
        (@steady_now carrying sources (closed_program machine_program) (heard_queues queues) x (of_case c) ->
          Forall (fun m => open_in c m = false) (map (reported_match precedes Order) (reported (state (plain x) i)))))
        is cs ->
      (exists waiting, Permutation (reported_by precedes Order (plain x) is ++ waiting)
        (flat_map (matches_of precedes there) cs) /\
        Forall (fun m => exists c, In c (cases r) /\ open_in c m = true) waiting) /\
      (steady_in r -> Forall (fun m => exists c, In c (cases r) /\ open_in c m = false)
        (reported_by precedes Order (plain x) is))).
    { intros cs js I F. induction F as [|i c js cs ((w & Pw & Uw) & Sw) F IH].
      - split; [exists []; split; constructor|intros; constructor].
      - assert (Ic : In c (cases r)) by (apply I; simpl; auto).
        destruct IH as ((ws & Pws & Uws) & Ss); [intros y J; apply I; simpl; auto|]. split.
        + exists (w ++ ws). split.
          * simpl. rewrite <- Pw, <- Pws. unfold reported_by. simpl. rewrite <- !app_assoc. apply Permutation_app_head.
            rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
          * apply Forall_app. split; auto. eapply Forall_impl; [|exact Uw]. eauto.
        + intros St. unfold reported_by. simpl. apply Forall_app. split; [|apply Ss; auto].
          unfold steady_in in St. rewrite Forall_forall in St. eapply Forall_impl; [|exact (Sw (St c Ic))]. eauto. }
    destruct (G _ _ (incl_refl _) P1) as ((w & Pw & Uw) & Sw). split; auto. exists w. split; auto.
    rewrite Pw, <- the_matches_of_a_rule_are_those_of_its_cases by auto. apply matches_permuted; auto.
  - apply IH; auto. simpl in P. apply Forall2_app_inv_r in P as (is1 & is2 & P1 & P2 & ->).
    assert (L : length is1 = length (cases r)) by (eapply related_lists_are_as_long; eauto).
    rewrite skipn_app, L, Nat.sub_diag, skipn_all2 by lia. exact P2.
Qed.
End Language.
