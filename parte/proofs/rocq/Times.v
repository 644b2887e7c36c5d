(* Times, bounds and windows: the arithmetic of the machine over the integers (specification: kernel-arithmetic;
   semantics/partelang/kernel.py). A bound is promised for each event of a partial match; lists are in that order. *)
From Coq Require Export ZArith List Lia Bool Permutation.
Export ListNotations.
Global Open Scope Z_scope.

Definition highest (l : list Z) : Z := match l with [] => 0 | x :: r => fold_left Z.max r x end.
Definition lowest (l : list Z) : Z := match l with [] => 0 | x :: r => fold_left Z.min r x end.
Fixpoint pairwise {A} (f : Z -> Z -> A) (a b : list Z) : list A :=
  match a, b with x :: a', y :: b' => f x y :: pairwise f a' b' | _, _ => [] end.
Definition adds := pairwise Z.add.
Definition mins := pairwise Z.min.

Definition in_window (t opens closes : Z) : bool := (opens <=? t) && (t <=? closes).
Definition lifetime_opens (times minima : list Z) : Z := highest (adds times minima).
Definition lifetime_closes (times maxima : list Z) : Z := lowest (adds times maxima).
Definition is_stale (ends bound : Z) : bool := ends <? bound.
Definition may_be_met (opens closes bound : Z) : bool := (opens <=? closes) && negb (is_stale closes bound).
Definition expiration_time (bounds minima : list Z) : Z := highest (adds bounds minima).

(* What the definition asks (specification: meaning-filter): the distance from each left event lies in its window. *)
Fixpoint fits (times minima maxima : list Z) (e : Z) : bool :=
  match times, minima, maxima with
  | t :: ts, lo :: los, hi :: his => ((lo <=? e - t) && (e - t <=? hi)) && fits ts los his e
  | _, _, _ => true
  end.

Definition below (a b : list Z) : Prop := Forall2 Z.le a b.

Lemma below_length : forall a b, below a b -> length a = length b.
Proof. induction 1; simpl; auto. Qed.

Lemma below_refl : forall a, below a a.
Proof. induction a; constructor; auto; lia. Qed.

Lemma below_trans : forall a b c, below a b -> below b c -> below a c.
Proof.
  intros a b c H; revert c; induction H; intros c Hc; inversion Hc; subst; constructor.
  - lia.
  - apply IHForall2; auto.
Qed.

Lemma below_app : forall a b c d, below a c -> below b d -> below (a ++ b) (c ++ d).
Proof. intros. apply Forall2_app; auto. Qed.

Lemma pairwise_length : forall A (f : Z -> Z -> A) a b, length a = length b -> length (pairwise f a b) = length a.
Proof. induction a; destruct b; simpl; intros; try discriminate; auto. Qed.

Lemma mins_below_left : forall a b, length a = length b -> below (mins a b) a.
Proof. unfold mins. induction a; destruct b; simpl; intros; try discriminate; constructor; auto; try lia. apply IHa;
  lia. Qed.

Lemma mins_below_right : forall a b, length a = length b -> below (mins a b) b.
Proof. unfold mins. induction a; destruct b; simpl; intros; try discriminate; constructor; auto; try lia. apply IHa;
  lia. Qed.

Lemma fold_max_le : forall l x z, fold_left Z.max l x <= z <-> x <= z /\ Forall (fun y => y <= z) l.
Proof.
  induction l; simpl; intros.
  - intuition.
  - rewrite IHl. split; intros [H1 H2].
    + split; [lia|]. constructor; auto; lia.
    + inversion H2; subst. split; auto; lia.
Qed.

Lemma le_fold_min : forall l x z, z <= fold_left Z.min l x <-> z <= x /\ Forall (fun y => z <= y) l.
Proof.
  induction l; simpl; intros.
  - intuition.
  - rewrite IHl. split; intros [H1 H2].
    + split; [lia|]. constructor; auto; lia.
    + inversion H2; subst. split; auto; lia.
Qed.

Lemma highest_le : forall l z, l <> [] -> (highest l <= z <-> Forall (fun y => y <= z) l).
Proof.
  destruct l; intros; [easy|]. simpl. rewrite fold_max_le. split; [intros []; auto|]. intro F; inversion F; auto.
Qed.

Lemma le_lowest : forall l z, l <> [] -> (z <= lowest l <-> Forall (fun y => z <= y) l).
Proof.
  destruct l; intros; [easy|]. simpl. rewrite le_fold_min. split; [intros []; auto|]. intro F; inversion F; auto.
Qed.

Lemma adds_nonempty : forall a b, length a = length b -> a <> [] -> adds a b <> [].
Proof. destruct a, b; simpl; easy. Qed.

Lemma fits_all : forall times minima maxima e, length times = length minima -> length times = length maxima ->
  (fits times minima maxima e = true <->
   Forall (fun y => y <= e) (adds times minima) /\ Forall (fun y => e <= y) (adds times maxima)).
Proof.
  unfold adds. induction times as [|t times IH]; intros minima maxima e H H0; destruct minima as [|lo minima],
    maxima as [|hi maxima]; simpl in *; try discriminate.
  - split; auto.
  - rewrite !andb_true_iff, !Z.leb_le, IH by lia. split.
    + intros [[? ?] [? ?]]. split; constructor; auto; lia.
    + intros [H1 H2]. inversion H1; inversion H2; subst. repeat split; auto; lia.
Qed.

(* PARTE/JOIN-LEFT, PARTE/JOIN-RIGHT, PARTE/NOT-LEFT-MATCH, PARTE/NOT-LEFT-NOMATCH, PARTE/NOT-RIGHT (specification:
   repair-window-per-event): the lifetime of a left partial match is exactly the windows of the definition, for any
   number of events. *)
Theorem lifetime_is_the_windows : forall times minima maxima e,
  times <> [] -> length times = length minima -> length times = length maxima ->
  in_window e (lifetime_opens times minima) (lifetime_closes times maxima) = fits times minima maxima e.
Proof.
  intros. apply eq_true_iff_eq. unfold in_window, lifetime_opens, lifetime_closes.
  rewrite fits_all, andb_true_iff, !Z.leb_le by auto.
  rewrite highest_le, le_lowest by (apply adds_nonempty; auto). tauto.
Qed.

Lemma adds_below : forall a b m, below a b -> length a = length m -> below (adds a m) (adds b m).
Proof.
  unfold adds. intros a b m H; revert m; induction H; destruct m; simpl; intros; try discriminate; constructor; auto;
    try lia.
  apply IHForall2; lia.
Qed.

Lemma below_all_le : forall a b z, below a b -> Forall (fun y => y <= z) b -> Forall (fun y => y <= z) a.
Proof. induction 1; intros F; inversion F; subst; constructor; auto; lia. Qed.

(* What has expired by a bound on left events lies before the lifetime of every later left partial match
   (specification: retention-right). *)
Lemma expiration_before_lifetime : forall bounds times minima,
  minima <> [] -> length bounds = length minima -> below bounds times ->
  expiration_time bounds minima <= lifetime_opens times minima.
Proof.
  intros bounds times minima Hn Hl Hb. unfold expiration_time, lifetime_opens.
  pose proof (below_length _ _ Hb). assert (bounds <> []) by (destruct bounds, minima; easy).
  assert (times <> []) by (destruct bounds, times; easy).
  apply highest_le. apply adds_nonempty; auto.
  apply below_all_le with (b := adds times minima). apply adds_below; auto.
  apply highest_le; [apply adds_nonempty; auto; lia|lia].
Qed.

Lemma adds_ge : forall a m x r, length a = length m -> Forall (fun y => x <= y) a -> Forall (fun y => - r <= y) m ->
  Forall (fun y => x - r <= y) (adds a m).
Proof.
  unfold adds. induction a; destruct m; simpl; intros; try discriminate; constructor.
  - inversion H0; inversion H1; subst. lia.
  - inversion H0; inversion H1; subst. apply IHa; auto.
Qed.

Lemma adds_le : forall a m x r, length a = length m -> Forall (fun y => y <= x) a -> Forall (fun y => y <= r) m ->
  Forall (fun y => y <= x + r) (adds a m).
Proof.
  unfold adds. induction a; destruct m; simpl; intros; try discriminate; constructor.
  - inversion H0; inversion H1; subst. lia.
  - inversion H0; inversion H1; subst. apply IHa; auto.
Qed.

Lemma closes_le : forall times maxima x r, maxima <> [] -> length times = length maxima ->
  Forall (fun y => y <= x) times -> Forall (fun y => y <= r) maxima -> lifetime_closes times maxima <= x + r.
Proof.
  intros. unfold lifetime_closes. pose proof (adds_le times maxima x r H0 H1 H2).
  assert (N : adds times maxima <> []) by (apply adds_nonempty; auto; destruct times, maxima; easy).
  destruct (Z.le_gt_cases (lowest (adds times maxima)) (x + r)); auto.
  assert (L : lowest (adds times maxima) <= lowest (adds times maxima)) by lia.
  apply le_lowest in L; auto. destruct (adds times maxima); [easy|]. inversion L; inversion H3; subst. lia.
Qed.

Lemma expiration_ge : forall bounds minima x r, minima <> [] -> length bounds = length minima ->
  Forall (fun y => x <= y) bounds -> Forall (fun y => - r <= y) minima -> x - r <= expiration_time bounds minima.
Proof.
  intros. unfold expiration_time. pose proof (adds_ge bounds minima x r H0 H1 H2).
  assert (N : adds bounds minima <> []) by (apply adds_nonempty; auto; destruct bounds, minima; easy).
  assert (L : highest (adds bounds minima) <= highest (adds bounds minima)) by lia.
  apply highest_le in L; auto. destruct (adds bounds minima); [easy|]. inversion L; inversion H3; subst. lia.
Qed.
