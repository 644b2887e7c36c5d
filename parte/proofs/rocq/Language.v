(* Level 2 as it is written: alternatives (`either`), windows without a beginning (`-ever`), sets and `having`; and the
   theorems about it. A rule with alternatives is reported under its own name, whichever of its cases has matched. *)
From Parte Require Export Sets.

Section Language.
Context {E : Events}.
Variable precedes : event -> event -> bool.
Hypothesis Order : total_order precedes.

(* ---- What is written ---------------------------------------------------------------------------------------------
   An alternative: a template, the conditions on its event alone, and those on earlier events too (on the values of the
   earlier positive patterns with this event behind them). A pattern without `either` has one. Conditions, `having` and
   emissions are functions of events, which have their templates; so they may differ from case to case. *)
Record alternative := Alternative { o_template : nat; o_own : event -> bool; o_joint : partial -> bool }.
(* The distance of an event from that of a positive pattern: at least, if the window has a beginning; and at most. *)
Definition distance := (nat * (option Z * Z))%type.
Inductive further :=
| Bound (choices : list alternative)
| Absent (what : alternative) (at_distances : list distance).
Record full_rule := FullRule {
  f_first : list (nat * (event -> bool)); f_further : list further; f_when : list constraint;
  f_sets : list (alternative * list distance); f_having : option (partial -> list (list event) -> option bool);
  f_emissions : list (@emission_with_sets E) }.
Record full_stratum := FullStratum { f_templates : list nat; f_rules : list full_rule }.
Definition full_program := list full_stratum.

(* ---- What it means ---------------------------------------------------------------------------------------------- *)

Section Meaning.
Variable stream : list event.

Definition fills (v : partial) (a : alternative) (e : event) : bool :=
  Nat.eqb (template e) (o_template a) && (o_own a e && o_joint a (v ++ [e])).
(* Specification: windows-ever. *)
Definition in_distance (v : partial) (e : event) (d : distance) : bool :=
  let x := time e - at_ (v ++ [e]) (fst d) in
  match fst (snd d) with Some least => least <=? x | None => true end && (x <=? snd (snd d)).
Definition all_beside (v : partial) (a : alternative) (ds : list distance) : list event :=
  filter (fun e => fills v a e && forallb (in_distance v e) ds) stream.
(* Specification: alternatives. An event fills a pattern if it fills an alternative, and once if it fills several. *)
Definition extended (vs : list partial) (f : further) : list partial :=
  match f with
  | Bound choices => flat_map (fun v => map (fun e => v ++ [e])
      (filter (fun e => existsb (fun a => fills v a e) choices) stream)) vs
  | Absent a ds => filter (fun v => Nat.eqb (length (all_beside v a ds)) 0) vs
  end.
Definition first_events (r : full_rule) : list partial :=
  map (fun e => [e]) (filter (fun e => existsb (fun a => Nat.eqb (template e) (fst a) && snd a e) (f_first r)) stream).
Definition values_of_rule (r : full_rule) : list partial :=
  filter (fun v => forallb (fun c => holds c v) (f_when r)) (fold_left extended (f_further r) (first_events r)).
Definition sets_of_rule (r : full_rule) (v : partial) : list (list event) :=
  map (fun s => in_order precedes (all_beside v (fst s) (snd s))) (f_sets r).
Definition rule_has (r : full_rule) (v : partial) : bool :=
  match f_having r with Some h => is_true (h v (sets_of_rule r v)) | None => true end.
Definition matches_of_rule (r : full_rule) : list (partial * list (list event)) :=
  map (fun v => (v, sets_of_rule r v)) (filter (rule_has r) (values_of_rule r)).
Definition emitted_of (ms : list (@emission_with_sets E)) (found : list (partial * list (list event))) : list event :=
  flat_map (fun m => flat_map (fun match_ => match s_generate m (fst match_) (snd match_) with
    Some e => [e] | None => [] end) found) ms.
End Meaning.

(* What each rule means, the lowest stratum first. *)
Fixpoint meaning_of_program (p : full_program) (stream : list event) : list (list (partial * list (list event))) :=
  match p with
  | [] => []
  | s :: above => map (matches_of_rule stream) (f_rules s) ++ meaning_of_program above
      (stream ++ flat_map (fun r => emitted_of (f_emissions r) (matches_of_rule stream r)) (f_rules s))
  end.

(* What each rule emits, the lowest stratum first. *)
Fixpoint emitted_meaning_of_program (p : full_program) (stream : list event) : list (list event) :=
  match p with
  | [] => []
  | s :: above => let emitted r := emitted_of (f_emissions r) (matches_of_rule stream r) in
      map emitted (f_rules s) ++ emitted_meaning_of_program above (stream ++ flat_map emitted (f_rules s))
  end.

(* ---- The cases of a rule ----------------------------------------------------------------------------------------
   No two timestamps are farther apart than twice the horizon, so this is the beginning of a window without one. *)
Definition closed_window (d : distance) : nat * (Z * Z) :=
  (fst d, (match fst (snd d) with Some least => least | None => - (2 * horizon) end, snd (snd d))).
Definition link_of (negated : bool) (a : alternative) (ds : list distance) : @written_link E :=
  WrittenLink negated (o_template a) (o_own a) (o_joint a) (map closed_window ds).
Definition chosen (f : further) : list (@written_link E) :=
  match f with
  | Bound choices => map (fun a => link_of false a []) choices
  | Absent a ds => [link_of true a ds]
  end.
Fixpoint choices_of (fs : list further) : list (list (@written_link E)) :=
  match fs with [] => [[]] | f :: more => flat_map (fun l => map (cons l) (choices_of more)) (chosen f) end.
Definition case_of (r : full_rule) (first : nat * (event -> bool)) (ls : list (@written_link E)) : rule_with_sets :=
  RuleWithSets (fst first) (snd first) ls (f_when r) (map (fun s => link_of true (fst s) (snd s)) (f_sets r))
    (f_having r) (f_emissions r).
(* Specification: alternative-cases. One for each choice of a template for each pattern. *)
Definition cases (r : full_rule) : list rule_with_sets :=
  flat_map (fun first => map (case_of r first) (choices_of (f_further r))) (f_first r).
Definition cases_of_program (p : full_program) : program_with_sets :=
  map (fun s => StratumWithSets (f_templates s) (flat_map cases (f_rules s))) p.
Definition counts (p : full_program) : list nat := flat_map (fun s => map (fun r => length (cases r)) (f_rules s)) p.

(* Alternatives of one template are one, whose conditions are joined by `or`. *)
Definition alternatives_differ (r : full_rule) : Prop := NoDup (map fst (f_first r)) /\
  Forall (fun f => match f with Bound choices => NoDup (map o_template choices) | Absent _ _ => True end) (f_further r).

(* ---- Lists ------------------------------------------------------------------------------------------------------ *)

Lemma filter_either : forall A (f g : A -> bool) l, (forall x, f x = true -> g x = true -> False) ->
  Permutation (filter (fun x => f x || g x) l) (filter f l ++ filter g l).
Proof.
  intros A f g l D. induction l as [|x l IH]; simpl; auto. specialize (D x).
  destruct (f x); simpl; [destruct (g x); [exfalso; auto|auto]|].
  destruct (g x); auto. rewrite IH. apply Permutation_middle.
Qed.
Lemma filter_any : forall A B (key : B -> nat) (f : B -> A -> bool) (sort : A -> nat) l bs, NoDup (map key bs) ->
  (forall b x, f b x = true -> sort x = key b) ->
  Permutation (filter (fun x => existsb (fun b => f b x) bs) l) (flat_map (fun b => filter (f b) l) bs).
Proof.
  intros A B key f sort l bs N H. induction bs as [|b bs IH]; simpl.
  - induction l; auto.
  - inversion N; subst. rewrite <- IH by auto. apply filter_either. intros x F G.
    apply existsb_exists in G as (b' & I & G). apply H in F, G. apply H2, in_map_iff. exists b'.
    split; [congruence|auto].
Qed.
Lemma flat_map_exchanged : forall A B C (f : A -> B -> list C) la lb,
  Permutation (flat_map (fun a => flat_map (f a) lb) la) (flat_map (fun b => flat_map (fun a => f a b) la) lb).
Proof.
  intros A B C f la lb. induction la as [|a la IH]; simpl.
  - induction lb; auto.
  - rewrite IH. clear IH. induction lb as [|b lb IH]; simpl; auto. rewrite <- IH, <- !app_assoc.
    apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.
Lemma flat_map_joined : forall A B C (f : A -> list B) (g : B -> list C) l,
  flat_map g (flat_map f l) = flat_map (fun a => flat_map g (f a)) l.
Proof. induction l; simpl; auto. rewrite flat_map_app, IHl. auto. Qed.
Lemma filter_permuted : forall A (f : A -> bool) l l', Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  intros A f l l' P. induction P; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - eapply perm_trans; eauto.
Qed.

(* ---- The values of a rule are those of its cases ---------------------------------------------------------------- *)

Section Values.
Variable stream : list event.

Definition step_of (n : nat) (l : @written_link E) (vs : list partial) : list partial :=
  if w_negated l
  then filter (fun v => forallb (fun b => negb (beside_as_written n l (v ++ b))) (of (w_template l) stream)) vs
  else filter (w_joint l) (paired vs (evaluate stream (single (w_template l) (w_own l)))).
Fixpoint values_by (n : nat) (ls : list (@written_link E)) (vs : list partial) : list partial :=
  match ls with [] => vs | l :: more => values_by (if w_negated l then n else S n) more (step_of n l vs) end.

Lemma values_by_is : forall ls n p, evaluate stream (fold_left alinked (all_as_written n ls) p)
  = values_by n ls (evaluate stream p).
Proof.
  induction ls as [|l ls IH]; simpl; intros n p; auto. rewrite IH. f_equal. unfold alinked, as_written, step_of.
  simpl. destruct (w_negated l); auto.
Qed.

Lemma step_bound : forall n a vs, step_of n (link_of false a []) vs
  = flat_map (fun v => map (fun e => v ++ [e]) (filter (fills v a) stream)) vs.
Proof.
  intros n a vs.
  change (filter (o_joint a) (paired vs (evaluate stream (single (o_template a) (o_own a))))
    = flat_map (fun v => map (fun e => v ++ [e]) (filter (fills v a) stream)) vs).
  assert (One : forall v, filter (o_joint a) (map (fun x => v ++ x) (evaluate stream (single (o_template a) (o_own a))))
    = map (fun e => v ++ [e]) (filter (fills v a) stream)).
  { intros v. simpl. unfold of, fills.
    induction stream as [|e s IH]; simpl; auto. destruct (Nat.eqb (template e) (o_template a)); simpl; auto.
    destruct (o_own a e); simpl; auto. destruct (o_joint a (v ++ [e])); simpl; [f_equal|]; auto. }
  revert One. generalize (evaluate stream (single (o_template a) (o_own a))) as found. intros found One.
  induction vs as [|v vs IH]; [auto|]. rewrite paired_cons.
  exact (eq_trans (filter_app _ _ _) (f_equal2 (@app _) (One v) IH)).
Qed.

Lemma ever_is_long : forall v e j, - (2 * horizon) <= time e - at_ (v ++ [e]) j.
Proof.
  intros v e j. pose proof (within_horizon e) as H. assert (B : at_ (v ++ [e]) j <= horizon); [|lia].
  unfold at_. destruct (Nat.lt_ge_cases j (length (times (v ++ [e])))) as [L|L].
  - pose proof (times_bounded (v ++ [e])) as F. rewrite Forall_forall in F. apply F, nth_In. auto.
  - rewrite nth_overflow by auto. lia.
Qed.

Lemma beside_is : forall n negated v a ds e, length v = n -> template e = o_template a ->
  beside_as_written n (link_of negated a ds) (v ++ [e]) = fills v a e && forallb (in_distance v e) ds.
Proof.
  intros n negated v a ds e <- T. unfold beside_as_written, fills. simpl. rewrite T, Nat.eqb_refl.
  rewrite skipn_app, skipn_all, Nat.sub_diag. simpl. rewrite andb_assoc. f_equal.
  assert (At : at_ (v ++ [e]) (length v) = time e).
  { unfold at_, times. rewrite map_app, app_nth2; rewrite map_length; auto. rewrite Nat.sub_diag. auto. }
  induction ds as [|d ds IH]; simpl; auto. rewrite IH. f_equal. unfold meets_against, in_distance, between_times. simpl.
  rewrite At. f_equal. destruct (fst (snd d)); auto. apply Z.leb_le, ever_is_long.
Qed.

Lemma step_absent : forall n a ds vs, Forall (fun v => length v = n) vs ->
  step_of n (link_of true a ds) vs = extended stream vs (Absent a ds).
Proof.
  intros n a ds vs W. unfold step_of. simpl. apply filter_ext_in. intros v I. rewrite Forall_forall in W.
  specialize (W v I). unfold of, all_beside. induction stream as [|e s IH]; simpl; auto.
  destruct (Nat.eqb (template e) (o_template a)) eqn:T; simpl.
  - rewrite (beside_is n true v a ds e) by (auto; apply Nat.eqb_eq; auto).
    destruct (fills v a e && forallb (in_distance v e) ds); simpl; auto.
  - unfold fills at 1. rewrite T. simpl. auto.
Qed.

Lemma set_is : forall n v a ds, length v = n ->
  set_in stream (o_template a) (beside_as_written n (link_of true a ds)) v = all_beside stream v a ds.
Proof.
  intros n v a ds L. unfold set_in, all_beside. induction stream as [|e s IH]; simpl; auto.
  destruct (Nat.eqb (template e) (o_template a)) eqn:T; simpl.
  - rewrite (beside_is n true v a ds e) by (auto; apply Nat.eqb_eq; auto). rewrite IH. auto.
  - unfold fills at 1. rewrite T. simpl. auto.
Qed.

Lemma step_app : forall n l a b, step_of n l (a ++ b) = step_of n l a ++ step_of n l b.
Proof.
  intros n l a b. unfold step_of. destruct (w_negated l); [apply filter_app|].
  rewrite <- filter_app. f_equal. induction a as [|x a IH]; [auto|].
  change ((x :: a) ++ b) with (x :: (a ++ b)). rewrite !paired_cons, IH, app_assoc. auto.
Qed.
Lemma values_by_app : forall ls n a b, values_by n ls (a ++ b) = values_by n ls a ++ values_by n ls b.
Proof. induction ls as [|l ls IH]; simpl; intros; auto. rewrite step_app. auto. Qed.
Lemma values_by_nil : forall ls n, values_by n ls [] = [].
Proof.
  induction ls as [|l ls IH]; simpl; intros n; auto. replace (step_of n l []) with (@nil partial); auto.
  unfold step_of. destruct (w_negated l); auto.
Qed.
Lemma values_by_each : forall ls n vs, values_by n ls vs = flat_map (fun v => values_by n ls [v]) vs.
Proof.
  intros ls n. induction vs as [|v vs IH]; [apply values_by_nil|]. change (v :: vs) with ([v] ++ vs).
  rewrite values_by_app, IH. auto.
Qed.
Lemma values_by_permuted : forall ls n vs vs', Permutation vs vs' -> Permutation (values_by n ls vs) (values_by n ls
  vs').
Proof. intros. rewrite values_by_each, (values_by_each ls n vs'). apply Permutation_flat_map. auto. Qed.
Lemma values_by_joined : forall A ls n (f : A -> list partial) l,
  values_by n ls (flat_map f l) = flat_map (fun a => values_by n ls (f a)) l.
Proof.
  intros. rewrite values_by_each, flat_map_joined. apply flat_map_ext. intros a. rewrite <- values_by_each. auto.
Qed.

Lemma extended_bound : forall n choices vs, NoDup (map o_template choices) ->
  Permutation (extended stream vs (Bound choices)) (flat_map (fun a => step_of n (link_of false a []) vs) choices).
Proof.
  intros n choices vs N. simpl.
  erewrite (flat_map_ext (fun a => step_of n (link_of false a []) vs)) by (intros a; apply step_bound).
  rewrite flat_map_exchanged. apply flat_map_values. intros v _.
  rewrite (filter_any _ _ o_template (fills v) template stream choices N).
  - rewrite flat_map_concat_map, concat_map, map_map, <- flat_map_concat_map. auto.
  - intros a e F. unfold fills in F. apply andb_true_iff in F as [F _]. apply Nat.eqb_eq in F. auto.
Qed.

Lemma extended_widths : forall n f vs, Forall (fun v => length v = n) vs ->
  Forall (fun v => length v = match f with Bound _ => S n | Absent _ _ => n end) (extended stream vs f).
Proof.
  intros n [choices|a ds] vs W; simpl; apply Forall_forall; intros v I; rewrite Forall_forall in W.
  - apply in_flat_map in I as (u & I & J). apply in_map_iff in J as (e & <- & _). rewrite app_length, (W u I).
    simpl. lia.
  - apply filter_In in I as [I _]. auto.
Qed.

Lemma choices_give_the_values : forall fs n vs, Forall (fun v => length v = n) vs ->
  Forall (fun f => match f with Bound choices => NoDup (map o_template choices) | Absent _ _ => True end) fs ->
  Permutation (fold_left (extended stream) fs vs) (flat_map (fun ls => values_by n ls vs) (choices_of fs)).
Proof.
  induction fs as [|f fs IH]; intros n vs W D; simpl; [rewrite app_nil_r; auto|]. inversion D; subst.
  rewrite (IH _ _ (extended_widths n f vs W) H2). rewrite flat_map_joined.
  erewrite (flat_map_ext (fun l => flat_map _ (map (cons l) _))) by (intros l; rewrite flat_map_of_map; reflexivity).
  simpl. destruct f as [choices|a ds]; simpl chosen.
  - rewrite flat_map_of_map. rewrite <- flat_map_exchanged. apply flat_map_values. intros ls _. simpl.
    rewrite <- values_by_joined. apply values_by_permuted, extended_bound. auto.
  - simpl. rewrite app_nil_r, step_absent by auto. auto.
Qed.

Lemma first_given : forall (first : nat * (event -> bool)), evaluate stream (single (fst first) (snd first))
  = map (fun e => [e]) (filter (fun e => Nat.eqb (template e) (fst first) && snd first e) stream).
Proof.
  intros [t own]. simpl. unfold of. induction stream as [|e s IH]; simpl; auto.
  destruct (Nat.eqb (template e) t); simpl; auto. destruct (own e); simpl; [f_equal|]; auto.
Qed.

Lemma case_values : forall r first ls, positive_matches stream (case_of r first ls)
  = filter (fun v => forallb (fun c => holds c v) (f_when r))
      (values_by 1 ls (evaluate stream (single (fst first) (snd first)))).
Proof. intros. exact (f_equal (filter _) (values_by_is ls 1 (single (fst first) (snd first)))). Qed.

Lemma cases_give_the_values : forall r, alternatives_differ r ->
  Permutation (values_of_rule stream r) (flat_map (positive_matches stream) (cases r)).
Proof.
  intros r [N D]. unfold values_of_rule, cases. rewrite flat_map_joined.
  assert (F : Permutation (first_events stream r)
    (flat_map (fun first => evaluate stream (single (fst first) (snd first))) (f_first r))).
  { unfold first_events. erewrite (flat_map_ext (fun first => evaluate stream _)) by (intros a; apply first_given).
    rewrite (filter_any _ _ fst (fun a e => Nat.eqb (template e) (fst a) && snd a e) template stream (f_first r) N).
    - rewrite flat_map_concat_map, concat_map, map_map, <- flat_map_concat_map. auto.
    - intros a e G. apply andb_true_iff in G as [G _]. apply Nat.eqb_eq in G. auto. }
  assert (W : Forall (fun v => length v = 1%nat) (first_events stream r)).
  { apply Forall_map, Forall_forall. auto. }
  rewrite (filter_permuted _ _ _ _ (choices_give_the_values _ _ _ W D)).
  erewrite (flat_map_ext (fun first => flat_map _ (map _ _))) by (intros a; rewrite flat_map_of_map; reflexivity).
  rewrite <- flat_map_exchanged.
  assert (Go : forall l, Permutation (filter (fun v => forallb (fun c => holds c v) (f_when r))
      (flat_map (fun ls => values_by 1 ls (first_events stream r)) l))
    (flat_map (fun ls => flat_map (fun first => positive_matches stream (case_of r first ls)) (f_first r)) l)).
  { induction l as [|ls l IH]; simpl; auto. rewrite filter_app, IH. apply Permutation_app_tail.
    rewrite (filter_permuted _ _ _ _ (values_by_permuted ls 1 _ _ F)), values_by_joined.
    clear. induction (f_first r) as [|first firsts IHf]; simpl; auto. rewrite filter_app, IHf.
    apply Permutation_app_tail. rewrite case_values. auto. }
  apply Go.
Qed.

(* Specification: alternatives, alternative-cases. *)
Theorem the_matches_of_a_rule_are_those_of_its_cases : forall r, alternatives_differ r ->
  Permutation (matches_of_rule stream r) (flat_map (matches_of precedes stream) (cases r)).
Proof.
  intros r D. unfold matches_of_rule.
  assert (C : forall c, In c (cases r) -> s_sets c = map (fun s => link_of true (fst s) (snd s)) (f_sets r)
    /\ s_having c = f_having r).
  { intros c I. unfold cases in I. apply in_flat_map in I as (a & _ & I). apply in_map_iff in I as (ls & <- & _).
    auto. }
  rewrite (filter_permuted _ _ _ _ (cases_give_the_values r D)).
  induction (cases r) as [|c cs IH]; simpl; auto.
  rewrite filter_app, map_app, IH by (intros; apply C; simpl; auto). apply Permutation_app_tail.
  destruct (C c) as [S H]; [simpl; auto|]. unfold matches_of.
  assert (Sets : forall v, sets_beside precedes stream c v = sets_of_rule stream r v).
  { intros v. unfold sets_beside, sets_of_rule. rewrite S, map_map. apply map_ext. intros [a ds]. simpl.
    unfold set_beside. simpl. rewrite set_is; auto. }
  assert (Has : forall v, has precedes stream c v = rule_has stream r v).
  { intros v. unfold has, rule_has. rewrite H, Sets. auto. }
  rewrite (filter_ext _ _ Has). erewrite map_ext; [reflexivity|]. intros v. simpl. rewrite Sets. auto.
Qed.
End Values.

(* ---- The order of the stream says nothing ----------------------------------------------------------------------- *)

Section Permuted.
Variables stream stream' : list event.
Hypothesis Same : Permutation stream stream'.

Lemma beside_permuted : forall v a ds, Permutation (all_beside stream v a ds) (all_beside stream' v a ds).
Proof. intros. apply filter_permuted. auto. Qed.
Lemma extended_permuted : forall f vs vs', Permutation vs vs' ->
  Permutation (extended stream vs f) (extended stream' vs' f).
Proof.
  intros [choices|a ds] vs vs' P; simpl.
  - rewrite (Permutation_flat_map _ P). apply flat_map_values. intros v _.
    apply Permutation_map, filter_permuted. auto.
  - rewrite (filter_permuted _ _ _ _ P). erewrite filter_ext; [reflexivity|]. intros v. simpl.
    rewrite (Permutation_length (beside_permuted v a ds)). auto.
Qed.
Lemma values_permuted : forall r, Permutation (values_of_rule stream r) (values_of_rule stream' r).
Proof.
  intros r. unfold values_of_rule. apply filter_permuted.
  assert (F : Permutation (first_events stream r) (first_events stream' r)).
  { unfold first_events. apply Permutation_map, filter_permuted. auto. }
  revert F. generalize (first_events stream r), (first_events stream' r).
  induction (f_further r) as [|f fs IH]; simpl; intros vs vs' P; auto. apply IH, extended_permuted. auto.
Qed.
Lemma matches_permuted : forall r, Permutation (matches_of_rule stream r) (matches_of_rule stream' r).
Proof.
  intros r. unfold matches_of_rule.
  assert (Sets : forall v, sets_of_rule stream r v = sets_of_rule stream' r v).
  { intros v. apply map_ext. intros s. apply in_order_same; auto. intros e. split; apply Permutation_in;
      [|symmetry]; apply beside_permuted. }
  assert (Has : forall v, rule_has stream r v = rule_has stream' r v).
  { intros v. unfold rule_has. rewrite Sets. auto. }
  rewrite (filter_ext _ _ Has). rewrite (filter_permuted _ _ _ _ (values_permuted r)).
  erewrite map_ext; [reflexivity|]. intros v. simpl. rewrite Sets. auto.
Qed.
End Permuted.

(* ---- Programs --------------------------------------------------------------------------------------------------- *)

(* So many of a list, then so many of the rest, and so on: what belongs to the cases of each rule. *)
Fixpoint together {A} (ns : list nat) (l : list A) : list (list A) :=
  match ns with [] => [] | n :: more => firstn n l :: together more (skipn n l) end.

Lemma together_of_cases : forall A B (f : B -> list A) ns rest bs,
  together (map (fun b => length (f b)) bs ++ ns) (flat_map f bs ++ rest) = map f bs ++ together ns rest.
Proof.
  intros A B f ns rest. induction bs as [|b bs IH]; simpl; auto.
  rewrite <- app_assoc, firstn_app, firstn_all, Nat.sub_diag, skipn_app, skipn_all, Nat.sub_diag. simpl.
  rewrite app_nil_r, IH. auto.
Qed.
Lemma together_related : forall A B (P : A -> B -> Prop) ns l l', Forall2 P l l' ->
  Forall2 (Forall2 P) (together ns l) (together ns l').
Proof.
  intros A B P. induction ns as [|n ns IH]; simpl; intros l l' F; constructor.
  - revert l l' F. induction n; simpl; intros l l' F; [constructor|]. destruct F; constructor; auto.
  - apply IH. revert l l' F. induction n; simpl; intros l l' F; auto. destruct F; auto.
Qed.

Lemma emitted_of_cases : forall stream r, alternatives_differ r ->
  Permutation (emitted_of (f_emissions r) (matches_of_rule stream r))
    (flat_map (emitted_with_sets precedes stream) (cases r)).
Proof.
  intros stream r D.
  assert (C : forall c, In c (cases r) -> emitted_with_sets precedes stream c
    = emitted_of (f_emissions r) (matches_of precedes stream c)).
  { intros c I. unfold cases in I. apply in_flat_map in I as (a & _ & I). apply in_map_iff in I as (ls & <- & _).
    auto. }
  rewrite (flat_map_same _ _ _ _ _ C). unfold emitted_of.
  etransitivity; [|apply flat_map_exchanged with (f := fun m c => flat_map (fun match_ =>
    match s_generate m (fst match_) (snd match_) with Some e => [e] | None => [] end) (matches_of precedes stream c))].
  apply flat_map_values. intros m _.
  rewrite (Permutation_flat_map _ (the_matches_of_a_rule_are_those_of_its_cases stream r D)).
  rewrite flat_map_joined. auto.
Qed.

Lemma emitted_permuted : forall ms (l l' : list (partial * list (list event))), Permutation l l' ->
  Permutation (emitted_of ms l) (emitted_of ms l').
Proof. intros ms l l' P. apply flat_map_values. intros m _. apply Permutation_flat_map. auto. Qed.

Lemma cases_of_a_program_mean_it : forall p stream stream', Permutation stream stream' ->
  Forall (fun s => Forall alternatives_differ (f_rules s)) p ->
  Forall2 (fun rs r => Permutation (concat rs) r)
    (together (counts p) (meaning_with_sets precedes (cases_of_program p) stream')) (meaning_of_program p stream) /\
  Forall2 (fun es e => Permutation (concat es) e)
    (together (counts p) (emitted_meaning_with_sets precedes (cases_of_program p) stream'))
    (emitted_meaning_of_program p stream).
Proof.
  induction p as [|s p IH]; intros stream stream' P D; [split; constructor|]. inversion D; subst.
  set (next := stream' ++ flat_map (emitted_with_sets precedes stream') (flat_map cases (f_rules s))).
  assert (L : forall A (f : rule_with_sets -> A) rest,
    together (counts (s :: p)) (map f (flat_map cases (f_rules s)) ++ rest)
    = map (fun r => map f (cases r)) (f_rules s) ++ together (counts p) rest).
  { intros A f rest. rewrite <- together_of_cases. unfold counts at 1. simpl. f_equal.
    - f_equal. apply map_ext. intros r. rewrite map_length. auto.
    - f_equal. rewrite flat_map_concat_map, concat_map, map_map, <- flat_map_concat_map. auto. }
  assert (Em : forall r, In r (f_rules s) -> Permutation (emitted_of (f_emissions r) (matches_of_rule stream r))
    (flat_map (emitted_with_sets precedes stream') (cases r))).
  { intros r I. rewrite (emitted_permuted _ _ _ (matches_permuted stream stream' P r)). apply emitted_of_cases.
    rewrite Forall_forall in H1. auto. }
  assert (N : Permutation
    (stream ++ flat_map (fun r => emitted_of (f_emissions r) (matches_of_rule stream r)) (f_rules s)) next).
  { apply Permutation_app; auto. rewrite flat_map_joined. apply flat_map_values. auto. }
  destruct (IH _ next N H2) as [I1 I2].
  split.
  - change (meaning_with_sets precedes (cases_of_program (s :: p)) stream') with
      (map (matches_of precedes stream') (flat_map cases (f_rules s))
        ++ meaning_with_sets precedes (cases_of_program p) next). rewrite L. apply Forall2_app; [|exact I1].
    clear L D N Em I1 I2. induction (f_rules s) as [|r rs IHr]; simpl; constructor; inversion H1; subst; auto.
    rewrite <- flat_map_concat_map, <- the_matches_of_a_rule_are_those_of_its_cases by auto.
    apply matches_permuted. symmetry. auto.
  - change (emitted_meaning_with_sets precedes (cases_of_program (s :: p)) stream') with
      (map (emitted_with_sets precedes stream') (flat_map cases (f_rules s))
        ++ emitted_meaning_with_sets precedes (cases_of_program p) next). rewrite L. apply Forall2_app; [|exact I2].
    clear L D N I1 I2 H1. induction (f_rules s) as [|r rs IHr]; simpl; constructor; auto.
    + rewrite <- flat_map_concat_map. symmetry. apply Em. simpl. auto.
    + apply IHr. intros r' I. apply Em. simpl. auto.
Qed.

(* ---- The theorems ----------------------------------------------------------------------------------------------- *)

Notation carrying := (carrying precedes Order).
Variables (queues_of : nat -> list nat) (reach : Z) (p : full_program).
Let machine_program := lifted_program precedes Order (cases_of_program p).
Let compiled_program := @compile carrying (heard queues_of (closed_program machine_program))
  (closed_program machine_program).
Let net := graph compiled_program.
Hypothesis Checked : @checked_but_for_sources carrying (closed_program machine_program) reach.
Hypothesis Related : @all_related carrying machine_program.
Hypothesis Different : Forall (fun s => Forall alternatives_differ (f_rules s)) p.
Hypothesis Far : @horizon E + reach + lags net (length net) < @infinity E.

(* All that the terminal nodes of the cases of a rule have reported, in the name of the rule. *)
Definition reported_by (c : @config carrying) (is : list nat) : list (partial * list (list event)) :=
  flat_map (fun i => map (reported_match precedes Order) (reported (state c i))) is.

(* All that the productions of the cases of a rule have sent on, given what each node has. *)
Definition emitted_by_rule_at (s : nat -> list (@token carrying)) (jss : list (list nat)) : list event :=
  flat_map (emitted_events_at precedes Order s) jss.
Definition productions_of_rules : list (list (list nat)) :=
  together (counts p) (productions (ends compiled_program) (counts_with_sets (cases_of_program p))).

Lemma together_covered : forall all A B (f : A -> list B) ns xs rs ms,
  Forall2 (fun x r => covers all (f x) r) xs rs ->
  Forall2 (fun rs m => Permutation (concat rs) m) (together ns rs) ms ->
  Forall2 (fun xs m => covers all (flat_map f xs) m) (together ns xs) ms.
Proof.
  intros all A B f ns xs rs ms F G. apply (together_related _ _ _ ns) in F. revert F G.
  generalize (together ns xs), (together ns rs). intros l l' F. revert ms.
  induction F as [|x r l l' F1 F IH]; intros ms G; inversion G; subst; constructor; auto.
  eapply covers_same; [|eassumption]. rewrite <- (map_id r), <- flat_map_concat_map. apply covers_all.
  eapply Forall2_weaker; [|exact F1]. auto.
Qed.

(* Of every machine of Weakened.v, in the end and before. *)
Lemma all_rules_observed : forall all before after stream limit x, stage net all before after x ->
  @family carrying queues_of after (map (fresh precedes Order) stream) ->
  leads_to net limit (loose_start net (heard_queues before)) x ->
  Forall2 (fun is r => covers all (reported_by (plain x) is) r) (together (counts p) (ends compiled_program))
    (meaning_of_program p stream) /\
  Forall2 (fun jss es => covers all (emitted_by_rule_at (sent x) jss) es) productions_of_rules
    (emitted_meaning_of_program p stream).
Proof.
  intros all before_ after stream limit x S F R.
  destruct (rules_with_sets_observed precedes Order queues_of reach (cases_of_program p) Checked Related Far all before_
    after stream limit x S F R) as [A B].
  destruct (cases_of_a_program_mean_it p stream stream (Permutation_refl _) Different) as [C D]. split.
  - exact (together_covered all _ _ _ (counts p) _ _ _ A C).
  - exact (together_covered all _ _ _ (counts p) _ _ _ B D).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, alternative-cases, windows-ever): each rule has reported in the
   end exactly its matches, each once, and with each the sets that `having` and the emissions have read. *)
Theorem every_run_that_rests_has_reported_the_matches_of_every_rule : forall queues stream,
  @family carrying queues_of queues (map (fresh precedes Order) stream) -> forall c,
  reaches net (fun _ => unlimited) (start net (heard_queues queues)) c -> final net (fun _ => unlimited) c ->
  Forall2 (fun is r => Permutation (reported_by c is) r) (together (counts p) (ends compiled_program))
    (meaning_of_program p stream).
Proof.
  intros queues stream F c R Fi. pose proof (a_final_run_is_rested _ _ c R Fi) as Rest.
  apply a_run_has_sent_something in R as [s R].
  destruct (a_run_as_one net true _ _ _ c s R (conj eq_refl Rest)) as (k & L & [_ S]).
  exact (proj1 (all_rules_observed true queues queues _ _ _ (conj eq_refl S) F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, production-bound): and each has emitted in the whole run exactly
   what its matches emit, of the top stratum too, each event with its timestamp. *)
Theorem every_run_that_rests_has_emitted_what_every_rule_emits : forall queues stream,
  @family carrying queues_of queues (map (fresh precedes Order) stream) -> forall c s,
  runs net (fun _ => unlimited) (start net (heard_queues queues)) c s -> final net (fun _ => unlimited) c ->
  Forall2 (fun jss es => Permutation (emitted_by_rule_at s jss) es) productions_of_rules
    (emitted_meaning_of_program p stream).
Proof.
  intros queues stream F c s R Fi.
  assert (Rest : rested c) by (eapply a_final_run_is_rested; eauto; apply a_run_has_sent_something; eauto).
  destruct (a_run_as_one net true _ _ _ c s R (conj eq_refl Rest)) as (k & L & [_ S]).
  exact (proj2 (all_rules_observed true queues queues _ _ _ (conj eq_refl S) F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, terminal-nodes): at every moment, with any capacities. *)
Theorem no_match_of_any_rule_is_reported_early : forall before after stream,
  (forall q, exists more, after q = before q ++ more) ->
  @family carrying queues_of after (map (fresh precedes Order) stream) ->
  forall limit c, reaches net limit (start net (heard_queues before)) c ->
  Forall2 (fun is r => exists more, Permutation (reported_by c is ++ more) r)
    (together (counts p) (ends compiled_program)) (meaning_of_program p stream).
Proof.
  intros before_ after stream C F limit c R. apply a_run_has_sent_something in R as [s R].
  destruct (every_run_is_one_that_weakens_nothing net limit _ c s R) as (k & L & _).
  exact (proj1 (all_rules_observed false before_ after _ _ _ C F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, production-bound): nor is anything emitted early. *)
Theorem no_rule_emits_anything_early : forall before after stream,
  (forall q, exists more, after q = before q ++ more) ->
  @family carrying queues_of after (map (fresh precedes Order) stream) ->
  forall limit c s, runs net limit (start net (heard_queues before)) c s ->
  Forall2 (fun jss es => exists more, Permutation (emitted_by_rule_at s jss ++ more) es) productions_of_rules
    (emitted_meaning_of_program p stream).
Proof.
  intros before_ after stream C F limit c s R.
  destruct (every_run_is_one_that_weakens_nothing net limit _ c s R) as (k & L & _).
  exact (proj2 (all_rules_observed false before_ after _ _ _ C F L)).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, unbounded-runs): the same of every machine whose nodes send
   their results in any order, promise less than they could, leave out tokens without a payload, and repeat bounds. At
   rest it has reported and emitted exactly what is meant, if it has sent the bounds that decide when a match is
   reported. *)
Theorem a_weakened_run_reports_and_emits_exactly_what_is_meant : forall queues stream,
  @family carrying queues_of queues (map (fresh precedes Order) stream) -> forall limit x,
  leads_to net limit (loose_start net (heard_queues queues)) x -> is_at_rest net x ->
  Forall2 (fun is r => Permutation (reported_by (plain x) is) r) (together (counts p) (ends compiled_program))
    (meaning_of_program p stream) /\
  Forall2 (fun jss es => Permutation (emitted_by_rule_at (sent x) jss) es) productions_of_rules
    (emitted_meaning_of_program p stream).
Proof.
  intros queues stream F limit x R S. exact (all_rules_observed true queues queues stream limit x (conj eq_refl S) F R).
Qed.

(* PARTE/PROC, PARTE/PROP (specification: sound-agrees, unbounded-runs): at every moment, whatever has been left out. *)
Theorem a_weakened_run_reports_and_emits_nothing_early : forall before after stream,
  (forall q, exists more, after q = before q ++ more) ->
  @family carrying queues_of after (map (fresh precedes Order) stream) ->
  forall limit x, leads_to net limit (loose_start net (heard_queues before)) x ->
  Forall2 (fun is r => exists more, Permutation (reported_by (plain x) is ++ more) r)
    (together (counts p) (ends compiled_program)) (meaning_of_program p stream) /\
  Forall2 (fun jss es => exists more, Permutation (emitted_by_rule_at (sent x) jss ++ more) es) productions_of_rules
    (emitted_meaning_of_program p stream).
Proof. intros before_ after stream C F limit x R. exact (all_rules_observed false before_ after stream limit x C F R).
  Qed.

End Language.
