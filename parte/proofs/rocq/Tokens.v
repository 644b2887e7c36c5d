(* Events, partial matches and tokens, and what a token promises (specification: tokens, bounds-on-later-payloads). *)
From Parte Require Export Times.

(* Events are opaque: a template and a time are all that the machine reads itself; conditions and emissions are
   functions of them. Two events that are equal are one (specification: mapping-values). `horizon` bounds all times
   (a timestamp has 64 bits), `infinity` is the bound that promises that nothing more comes. A set of events that a
   match has collected goes with its first event: `with_set` is that event, and whatever conditions and emissions may
   read of the set. It is a function of the elements, in no order. Where no rule has a set, it may be the event
   alone. *)
Class Events := {
  event : Type;
  template : event -> nat;
  time : event -> Z;
  horizon : Z;
  infinity : Z;
  with_set : event -> list event -> event;
  within_horizon : forall e, - horizon <= time e <= horizon;
  infinity_beyond : horizon < infinity;
  with_set_time : forall e s, time (with_set e s) = time e;
  with_set_elements : forall e s s', (forall x, In x s <-> In x s') -> with_set e s = with_set e s';
  with_set_injective : forall e s e' s', with_set e s = with_set e' s' -> e = e' }.

Section Tokens.
Context {E : Events}.

Definition partial := list event.
Definition times (p : partial) : list Z := map time p.
Definition with_set_of (p : partial) (s : list event) : partial :=
  match p with e :: more => with_set e s :: more | [] => [] end.
Record token := Token { bounds : list Z; payload : option partial }.

Definition payloads (l : list token) : list partial :=
  flat_map (fun t => match payload t with Some p => [p] | None => [] end) l.

Definition kept_by (b : list Z) (p : partial) : Prop := below b (times p).

(* A token promises of every later payload on its edge, never of its own. *)
Fixpoint honest (width : nat) (l : list token) : Prop :=
  match l with
  | [] => True
  | t :: later =>
      length (bounds t) = width /\ match payload t with Some p => length p = width | None => True end
      /\ Forall (kept_by (bounds t)) (payloads later) /\ honest width later
  end.

(* The last token promises that nothing before x comes any more. *)
Definition ended (x : Z) (l : list token) : Prop :=
  exists before t, l = before ++ [t] /\ Forall (fun b => x <= b) (bounds t).

Lemma payloads_app : forall a b, payloads (a ++ b) = payloads a ++ payloads b.
Proof. intros. apply flat_map_app. Qed.

Lemma honest_app : forall w a b, honest w (a ++ b) <->
  honest w a /\ honest w b /\ Forall (fun t => Forall (kept_by (bounds t)) (payloads b)) a.
Proof.
  induction a; simpl; intros.
  - intuition.
  - rewrite IHa, payloads_app, Forall_app. split.
    + intuition.
    + intros [[H1 [H2 [H3 H4]]] [H5 H6]]. inversion H6; subst. intuition.
Qed.

Lemma honest_prefix : forall w a b, honest w (a ++ b) -> honest w a.
Proof. intros w a b H. apply honest_app in H. tauto. Qed.

Lemma honest_widths : forall w l, honest w l -> Forall (fun p => length p = w) (payloads l).
Proof.
  unfold payloads. induction l; simpl; intros; auto. destruct H as [_ [H [_ H0]]]. apply Forall_app; split; auto.
    destruct (payload a); auto.
Qed.

Lemma times_length : forall p, length (times p) = length p.
Proof. intros. apply map_length. Qed.

Lemma with_set_times : forall p s, times (with_set_of p s) = times p.
Proof. destruct p as [|e p]; simpl; intros; auto. rewrite with_set_time. auto. Qed.
Lemma with_set_length : forall p s, length (with_set_of p s) = length p.
Proof. destruct p; auto. Qed.
Lemma with_set_same : forall p s s', (forall x, In x s <-> In x s') -> with_set_of p s = with_set_of p s'.
Proof. destruct p as [|e p]; simpl; intros s s' H; auto. rewrite (with_set_elements e s s' H). auto. Qed.
Lemma with_set_same_event : forall p s p' s', with_set_of p s = with_set_of p' s' -> p = p'.
Proof.
  destruct p as [|e p], p' as [|e' p']; simpl; intros s' H; try discriminate; auto. inversion H.
  f_equal. eapply with_set_injective; eauto.
Qed.

Lemma times_bounded : forall p, Forall (fun t => t <= horizon) (times p).
Proof. intros. unfold times. apply Forall_map, Forall_forall. intros. apply within_horizon. Qed.

(* From the start every bound is -infinity, which every event keeps (specification: bounds-never-decrease). *)
Lemma initial_bounds_kept : forall p, kept_by (repeat (- infinity) (length p)) p.
Proof.
  unfold kept_by, below, times. pose proof infinity_beyond. induction p as [|e p IH]; simpl; constructor; auto.
  pose proof (within_horizon e). lia.
Qed.

(* The least of bounds and of the times of stored or later partial matches, event by event. *)
Definition lowered (b : list Z) (ps : list partial) : list Z := fold_right (fun p b => mins b (times p)) b ps.

Lemma lowered_spec : forall w ps b, length b = w -> Forall (fun p => length p = w) ps ->
  length (lowered b ps) = w /\ below (lowered b ps) b /\ Forall (kept_by (lowered b ps)) ps.
Proof.
  induction ps as [|p ps IH]; simpl; intros b Hb F.
  - split; [auto|split; [apply below_refl|constructor]].
  - inversion F; subst. destruct (IH b eq_refl H2) as [L [B K]].
    assert (S : length (lowered b ps) = length (times p)) by (rewrite times_length; lia).
    repeat split.
    + unfold mins. rewrite pairwise_length; auto.
    + eapply below_trans; [apply mins_below_left; auto|auto].
    + constructor. apply mins_below_right; auto.
      eapply Forall_impl; [|exact K]. intros a Ha. eapply below_trans; [apply mins_below_left; auto|exact Ha].
Qed.

(* What a two-input node sends in one step (specification: bounds-of-a-step; repairs bound-per-token,
   bound-on-last-token,
   report-silence): each result with a bound that holds of those after it, or a bound alone. *)
Fixpoint in_sequence (results : list partial) (b : list Z) : list token :=
  match results with [] => [] | r :: later => Token (lowered b later) (Some r) :: in_sequence later b end.
Definition as_tokens (results : list partial) (b : list Z) : list token :=
  match results with [] => [Token b None] | _ => in_sequence results b end.

Lemma payloads_as_tokens : forall results b, payloads (as_tokens results b) = results.
Proof.
  assert (S : forall results b, payloads (in_sequence results b) = results).
  { unfold payloads. induction results; simpl; intros; auto. f_equal; auto. }
  destruct results as [|r rest]; intros; [reflexivity|]. apply (S (r :: rest) b).
Qed.

(* PARTE/JOIN-*, PARTE/NOT-*: no token of a step promises what a later one of it breaks (specification:
   bounds-of-a-step). *)
Theorem a_step_keeps_its_own_promises : forall w results b later,
  length b = w -> Forall (fun p => length p = w) results ->
  Forall (kept_by b) (payloads later) -> honest w later -> honest w (as_tokens results b ++ later).
Proof.
  intros w results b later Hb Hw K H.
  destruct results as [|r rest]. { simpl. auto. }
  unfold as_tokens. remember (r :: rest) as results. clear Heqresults r rest.
  induction results as [|r rest IH]; simpl; auto. inversion Hw; subst.
  destruct (lowered_spec _ rest b eq_refl H3) as [L [B F]]. repeat split; auto.
  rewrite payloads_app. apply Forall_app; split.
  - replace (payloads (in_sequence rest b)) with rest; auto.
    destruct rest as [|q rest]; auto. symmetry. apply (payloads_as_tokens (q :: rest) b).
  - eapply Forall_impl; [|exact K]. intros a Ha. eapply below_trans; eauto.
Qed.

Lemma as_tokens_last : forall results b, exists before t, as_tokens results b = before ++ [t] /\ bounds t = b.
Proof.
  destruct results as [|r rest]; intros. { exists [], (Token b None). auto. }
  unfold as_tokens. revert r. induction rest as [|q rest IH]; intros.
  - exists [], (Token b (Some r)). auto.
  - destruct (IH q) as (before & t & Eq & Hb). simpl in *. rewrite Eq.
    eexists (_ :: before), t. split; [reflexivity|auto].
Qed.

End Tokens.
