(* The `at` of an emission: timestamps shifted, the least, the greatest, the mean of some (specification:
   production-bound; kernel.py: shifted, earliest, latest, average). *)
From Parte Require Export Compile.

Inductive timestamp :=
| OfVariable (i : nat)
| Shifted (s : timestamp) (milliseconds : Z)
| Earliest (ss : list timestamp)
| Latest (ss : list timestamp)
| Average (ss : list timestamp).

Definition total (l : list Z) : Z := fold_right Z.add 0 l.
Fixpoint instant (s : timestamp) (b : list Z) : Z :=
  match s with
  | OfVariable i => nth i b 0
  | Shifted s d => instant s b + d
  | Earliest ss => lowest (map (fun s => instant s b) ss)
  | Latest ss => highest (map (fun s => instant s b) ss)
  | Average ss => total (map (fun s => instant s b) ss) / Z.of_nat (length ss)
  end.
(* How far it may lie before the least of what it is applied to. *)
Fixpoint lagging (s : timestamp) : Z :=
  match s with
  | OfVariable _ => 0
  | Shifted s d => lagging s + Z.max 0 (- d)
  | Earliest ss | Latest ss | Average ss => fold_right Z.max 0 (map lagging ss)
  end.
Fixpoint scoped (width : nat) (s : timestamp) : Prop :=
  match s with
  | OfVariable i => (i < width)%nat
  | Shifted s _ => scoped width s
  | Earliest ss | Latest ss | Average ss => ss <> [] /\ fold_right and True (map (scoped width) ss)
  end.

Section Induction.
Variable P : timestamp -> Prop.
Hypothesis variable : forall i, P (OfVariable i).
Hypothesis shifted : forall s d, P s -> P (Shifted s d).
Hypothesis earliest : forall ss, Forall P ss -> P (Earliest ss).
Hypothesis latest : forall ss, Forall P ss -> P (Latest ss).
Hypothesis average : forall ss, Forall P ss -> P (Average ss).
Fixpoint timestamp_induction (s : timestamp) : P s :=
  let all := fix all (ss : list timestamp) : Forall P ss :=
    match ss with [] => Forall_nil P | s :: more => Forall_cons s (timestamp_induction s) (all more) end in
  match s with
  | OfVariable i => variable i
  | Shifted s d => shifted s d (timestamp_induction s)
  | Earliest ss => earliest ss (all ss)
  | Latest ss => latest ss (all ss)
  | Average ss => average ss (all ss)
  end.
End Induction.

Lemma scoped_all : forall w ss, fold_right and True (map (scoped w) ss) -> Forall (scoped w) ss.
Proof. induction ss; simpl; intros H; constructor; intuition. Qed.

Lemma total_below : forall a b, below a b -> total a <= total b.
Proof. induction 1; simpl; lia. Qed.

Lemma lowest_below : forall a b, below a b -> a <> [] -> lowest a <= lowest b.
Proof.
  intros a b H N. apply le_lowest; [destruct H; easy|].
  assert (L : lowest a <= lowest a) by lia. apply le_lowest in L; auto.
  revert L. generalize (lowest a). clear N. induction H; intros z F; constructor; inversion F; subst; auto; lia.
Qed.
Lemma highest_below : forall a b, below a b -> a <> [] -> highest a <= highest b.
Proof.
  intros a b H N. apply highest_le; auto. assert (L : highest b <= highest b) by lia.
  apply highest_le in L; [|destruct H; easy]. eapply below_all_le; eauto.
Qed.

Lemma all_below : forall w a b ss, length a = w -> below a b -> Forall (scoped w) ss ->
  Forall (fun s => scoped w s -> monotone w (instant s)) ss ->
  below (map (fun s => instant s a) ss) (map (fun s => instant s b) ss).
Proof.
  intros w a b ss La B Sc H. induction H as [|s ss Hs H IH]; simpl; constructor; inversion Sc; subst.
  - apply Hs; auto.
  - apply IH; auto.
Qed.

(* PARTE/PROD* (specification: production-bound). *)
Theorem every_timestamp_is_monotone : forall w s, scoped w s -> monotone w (instant s).
Proof.
  intros w s. induction s using timestamp_induction; simpl; intros Sc a b La B.
  - pose proof (below_length _ _ B). subst w. clear - B Sc. revert i Sc. induction B; simpl; intros i Sc; [lia|].
    destruct i; auto. apply IHB. lia.
  - specialize (IHs Sc a b La B). lia.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. apply lowest_below; [|destruct ss; easy].
    eapply all_below; eauto.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. apply highest_below; [|destruct ss; easy].
    eapply all_below; eauto.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. apply Z.div_le_mono; [destruct ss; simpl; [easy|lia]|].
    apply total_below. eapply all_below; eauto.
Qed.

Lemma lagging_nonnegative : forall s, 0 <= lagging s.
Proof. induction s using timestamp_induction; simpl; try lia; clear; induction ss; simpl; lia. Qed.

Lemma lag_of_list : forall w x b ss, length b = w -> Forall (fun y => x <= y) b -> Forall (scoped w) ss ->
  Forall (fun s => scoped w s -> forall x b, length b = w -> Forall (fun y => x <= y) b -> x - lagging s <= instant s
    b) ss ->
  Forall (fun y => x - fold_right Z.max 0 (map lagging ss) <= y) (map (fun s => instant s b) ss).
Proof.
  intros w x b ss Lb F Sc H. induction ss as [|s ss IH]; simpl; constructor; inversion Sc; inversion H; subst.
  - specialize (H6 H2 x b eq_refl F). lia.
  - eapply Forall_impl; [|apply IH; auto]. simpl. intros. lia.
Qed.

Lemma total_ge : forall x l, Forall (fun y => x <= y) l -> x * Z.of_nat (length l) <= total l.
Proof. induction 1; simpl; lia. Qed.

(* PARTE/PROD* (specification: production-bound). *)
Theorem a_timestamp_lags_by_a_known_time : forall w s, scoped w s -> forall x b, length b = w ->
  Forall (fun y => x <= y) b -> x - lagging s <= instant s b.
Proof.
  intros w s. induction s using timestamp_induction; simpl; intros Sc x b Lb F.
  - rewrite Forall_forall in F. rewrite Z.sub_0_r. apply F. apply nth_In. lia.
  - specialize (IHs Sc x b Lb F). lia.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. pose proof (lag_of_list w x b ss Lb F Sc H) as G.
    apply le_lowest; auto. destruct ss; easy.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. pose proof (lag_of_list w x b ss Lb F Sc H) as G.
    assert (M : map (fun s => instant s b) ss <> []) by (destruct ss; easy).
    assert (L : highest (map (fun s => instant s b) ss) <= highest (map (fun s => instant s b) ss)) by lia.
    apply highest_le in L; auto. destruct (map (fun s => instant s b) ss); [easy|]. inversion G; inversion L; subst.
      lia.
  - destruct Sc as [N Sc]. apply scoped_all in Sc. pose proof (lag_of_list w x b ss Lb F Sc H) as G.
    apply total_ge in G. rewrite map_length in G. apply Z.div_le_lower_bound; [destruct ss; simpl; [easy|lia]|]. lia.
Qed.

Section Emissions.
Context {E : Events}.

(* An emission of an event with that timestamp, or of none where it has no value (specification: no-value-emissions). *)
Definition emission_at (n : nat) (s : timestamp) (make : partial -> option event) : emission :=
  Emission n make (instant s) (lagging s).
Definition makes (w n : nat) (s : timestamp) (make : partial -> option event) : Prop :=
  forall v e, make v = Some e -> template e = n /\ (length v = w -> time e = instant s (times v)).

(* PARTE/PROD* (specification: production-bound). *)
Theorem such_an_emission_passes_the_checks : forall w n s make, scoped w s -> makes w n s make ->
  emission_checked w (emission_at n s make).
Proof.
  intros w n s make Sc M. unfold emission_checked. simpl. split; [apply lagging_nonnegative|].
  split; [apply every_timestamp_is_monotone; auto|]. split.
  - intros v e Lv G. destruct (M v e G) as [_ T]. rewrite T by auto. lia.
  - split; [intros; eapply a_timestamp_lags_by_a_known_time; eauto|]. intros v e G. apply (M v e G).
Qed.
End Emissions.
