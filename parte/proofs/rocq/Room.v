(* Room: what a history stores where the least has been promised, in rules of any number of patterns, negations and
   sets, each fed by any number of sources or by one rule (docs/bounds.md, "Count"). So sizes above all such crowds
   never block (specification: size-viable). *)
From Parte Require Export Sizes Space Steady Trees Led.

Section Room.
Context {E : Events}.
Variables (net : network) (queues : nat -> list token) (reach : Z).
Hypothesis Net : sound_network net reach.
Hypothesis Honest : honest_sources queues.
Hypothesis Own : own_templates net queues.
Variable late : nat -> Z.
Hypothesis Punctual : forall q, prompt (late q) (- infinity) (queues q).
Variable limit : nat -> limits.
Hypothesis Turns : forall i, turns (limit i) = true.
Notation flows := (flows net queues late limit).

(* What a history may store where its side has seen the promise m of some of its sources and no other side less: live
   partial matches that are together part of what may come, and that are held by m, but for few. *)
Definition crowd (P : list partial -> Prop) (L : lead -> Prop) (m : Z) (live : partial -> Prop) (ps : list partial) :
  Prop := P ps /\ Forall live ps /\ exists x, L x /\ led_by x m 0 ps.
Definition crowd_on_the_left (P : list partial -> Prop) (L : lead -> Prop) (minima maxima : list Z) (lag m : Z) :=
  crowd P L m (fun p => opens minima p <= closes maxima p /\ m - lag <= closes maxima p).
Definition crowd_on_the_right (P : list partial -> Prop) (L : lead -> Prop) (lags minima : list Z) (m : Z) :=
  crowd P L m (fun q => m - lowest (pairwise Z.sub lags minima) <= moment q).
(* A set-node stores right events for the left partial matches that wait, too. *)
Definition lags_on_the_right (k : kind) (ls : list Z) (lag : Z) : list Z :=
  match k with Collecting _ maxima _ => stored_lags ls lag maxima | _ => ls end.

Definition has_room (i : nat) (v : vertex) : Prop :=
  match kind_of v with
  | TwoInput _ minima maxima _ | Collecting minima maxima _ => exists j k ls lag P Q L R,
      sources v = [Internal j; Internal k] /\ flows j ls P L /\ flows k [lag] Q R /\
      (forall m ps, crowd_on_the_left P L minima maxima lag m ps ->
        fits_in (left_room (limit i)) (S (length ps)) = true) /\
      (forall m ps, crowd_on_the_right Q R (lags_on_the_right (kind_of v) ls lag) minima m ps ->
        fits_in (right_room (limit i)) (S (length ps)) = true)
  | _ => True
  end.

Lemma its_right_is_late : forall k minima maxima ls lag m m0 m1 d, two_sided k minima maxima -> minima <> [] ->
  length maxima = length minima -> length ls = length minima -> m <= m0 -> m <= m1 ->
  keeps_only_live k minima maxima d -> standing minima maxima ls lag m0 m1 d ->
  Forall (fun q => m - lowest (pairwise Z.sub (lags_on_the_right k ls lag) minima) <= moment q) (right d).
Proof.
  intros k minima maxima ls lag m m0 m1 d Two N Sw Ll L0 L1 Lv S.
  destruct Two as [(negated & own & ->)|(own & ->)]; simpl in Lv |- *.
  - destruct Lv as [_ Lv]. eapply Forall_impl; [|exact Lv]. intros q H. unfold live_right, is_stale in H.
    apply negb_true_iff, Z.ltb_ge in H. pose proof (behind_expired _ _ _ _ Ll N (left_lags _ _ _ _ _ _ _ S)). lia.
  - destruct Lv as [_ Lv]. pose proof (left_live _ _ _ _ _ _ _ S) as Op. pose proof (left_width _ _ _ _ _ _ _ S) as W.
    assert (Ls : length (stored_lags ls lag maxima) = length minima) by (rewrite stored_lags_length; lia).
    rewrite Forall_forall in *. intros q I. specialize (Lv q I). apply orb_true_iff in Lv as [H|H].
    + unfold live_right, is_stale in H. apply negb_true_iff, Z.ltb_ge in H.
      pose proof (behind_expired m _ _ _ Ls N (behind_joined m m0 lag ls maxima _ L0 ltac:(lia)
        (left_lags _ _ _ _ _ _ _ S))). lia.
    + apply existsb_exists in H as (p & Ip & H). unfold matches in H. apply andb_true_iff in H as [H _].
      unfold in_window in H. apply andb_true_iff in H as [H _]. apply Z.leb_le in H.
      specialize (W p Ip). destruct (Op p Ip) as [_ Cl]. pose proof (right_lag _ _ _ _ _ _ _ S) as Rl.
      assert (B : below (behind m (stored_lags ls lag maxima)) (times p)).
      { apply behind_live; [lia|rewrite times_length; lia|].
        apply le_lowest; [|unfold closes, lifetime_closes in Cl; lia].
        apply adds_nonempty; [rewrite times_length; lia|]. destruct p, minima; easy. }
      pose proof (behind_expired m _ _ _ Ls N B) as Ex. unfold expiration_time in Ex.
      unfold opens, lifetime_opens in H. lia.
Qed.

(* PARTE/PROC, PARTE/PROP, under every schedule (specification: size-viable, blocked): any rules of joined patterns,
   negations and sets, of any number, in any strata, each pattern fed by any number of sources or by one rule. If each
   history has room for one more than any crowd, and each outbox for the results of a step, nothing is left where no
     step
   is possible. *)
Theorem rules_with_negations_and_sets_with_room_for_every_crowd_never_block : forall c,
  (forall i k q, reads net i k (External q) = true -> last_promise (queues q) = infinity) ->
  (forall i, fits_in (inbox_room (limit i)) 1 = true) ->
  (forall i v k t rest, nth_error net i = Some v -> inbox c i k = t :: rest ->
    fits_in (outbox_room (limit i)) (length (snd (activate (kind_of v) (state c i) k t))) = true) ->
  (forall i v, nth_error net i = Some v -> has_room i v) ->
  reaches net limit (start net queues) c -> final net limit c -> rested c.
Proof.
  intros c Ends Inboxes Outboxes Room R F.
  destruct (every_run_never_waited net queues limit c R) as (logs & sent & arrived & X & Never).
  destruct (every_run_can_be_marked net queues reach Net c logs sent arrived X) as [ml M].
  pose proof (sources_rise queues late Punctual) as Rise.
  eapply (nothing_is_left net queues reach Net Own c logs sent arrived X limit ml M Rise Ends F Inboxes Outboxes).
  intros i v s t rest V NotEntry I Least.
  assert (Two : forall k minima maxima, kind_of v = k -> two_sided k minima maxima ->
    (exists j j' ls lag P Q L R0, sources v = [Internal j; Internal j'] /\ flows j ls P L /\ flows j' [lag] Q R0 /\
      (forall m ps, crowd_on_the_left P L minima maxima lag m ps ->
        fits_in (left_room (limit i)) (S (length ps)) = true) /\
      (forall m ps, crowd_on_the_right Q R0 (lags_on_the_right k ls lag) minima m ps ->
        fits_in (right_room (limit i)) (S (length ps)) = true)) ->
    (s = 0%nat /\ fits_in (left_room (limit i)) (S (length (left (state c i)))) = true) \/
    (s = 1%nat /\ fits_in (right_room (limit i)) (S (length (right (state c i)))) = true)).
  { intros k minima maxima Kv Two (j & j' & ls & lag & P & Q & L & R0 & Sv & FL & FR & Left & Right).
    destruct v as [kd src]. simpl in Kv, Sv. subst kd src.
    destruct (windows_of net reach Net i k minima maxima j j' V Two) as (W & N & Sw).
    destruct (lags_and_widths _ _ _ _ reach Net _ _ _ _ FL) as [NL WL], (lags_and_widths _ _ _ _ reach Net _ _ _ _ FR)
      as [NR WR]. rewrite (width_left net i _ j j' _ _ V eq_refl WL WR) in W. injection W as W.
    pose proof (logs_of net queues logs ml M i _ V) as Lo.
    pose proof (bounds_lag_by_a_known_time net queues reach Net Honest Own late Punctual limit c logs sent arrived ml
      X M
      Ends) as Lags.
    destruct (the_state_after net queues reach Net Honest limit c logs sent arrived ml X M i k minima maxima j j' ls
      lag V
      Two W ltac:(split; auto; inversion NR; auto) (Lags _ _ _ _ FL) (Lags _ _ _ _ FR) (ml i) []
      ltac:(rewrite app_nil_r; auto)) as (_ & Lv & S).
    assert (St : state_after k (bare (ml i)) = state c i).
    { rewrite Lo. unfold state_after. pose proof (the_data _ _ _ _ _ _ X i _ V) as D. cbn [kind_of] in D. rewrite D.
      auto. }
    rewrite St in Lv, S.
    destruct (its_honest_log net queues reach Net Honest c logs sent arrived X i k minima maxima j j' V Two) as (Sl &
      _).
    destruct (what_is_stored_is_part k minima maxima (logs i) (initial k) Two Sl) as [Pl Pr].
    fold (state_after k (logs i)) in Pl, Pr. rewrite <- Lo, St in Pl, Pr.
    replace (left (initial k)) with (@nil partial) in Pl by (destruct Two as [(? & ? & ->)|(? & ->)]; auto).
    replace (right (initial k)) with (@nil partial) in Pr by (destruct Two as [(? & ? & ->)|(? & ->)]; auto).
    simpl in Pl, Pr.
    assert (R_0 : reads net i 0 (Internal j) = true) by (apply reads_spec; eexists; split; [exact V|reflexivity]).
    assert (R_1 : reads net i 1 (Internal j') = true) by (apply reads_spec; eexists; split; [exact V|reflexivity]).
    assert (Crowds : forall side src P' L' ls', nth_error [Internal j; Internal j'] side = Some (Internal src) ->
      flows src ls' P' L' -> forall ps, part_of ps (payloads (taken side (bare (ml i)))) -> P' ps /\
      exists x, L' x /\ led_by x (seen (ml i) side) 0 ps).
    { intros side src P' L' ls' Sd Fl ps Pt. split.
      - eapply (a_part_may_come net queues late limit); [exact Fl|exact Pt|]. rewrite Lo.
        apply (a_slot_may_be net queues reach Net late limit c logs sent arrived X i _ side src ls' P' L' Fl V Sd).
        eapply what_flows_may_be; eauto.
      - destruct (slot_of net queues logs ml M i _ side (Internal src) V Sd) as [r Sr]. simpl in Sr.
        destruct (what_flows_is_led net queues reach Net Honest Own late Punctual limit Turns c logs sent arrived ml X
          M
          Never src ls' P' L' Fl (of_slot side (ml i)) [] r (seen (ml i) side) (eq_sym Sr) ltac:(simpl; lia)
          (Z.le_refl _)) as (x & Lx & D). exists x. split; auto. eapply led_less; [exact D|].
        rewrite app_nil_r, of_slot_bare. destruct Pt as [z Pt]. intros p Ip. apply (Permutation_in _ Pt), in_or_app.
        auto. }
    assert (Hs : s = 0%nat \/ s = 1%nat).
    { destruct (reads_or_not net i s) as [[src Rs]|No].
      - apply reads_spec in Rs as (v' & V' & S'). rewrite V in V'. injection V' as <-. simpl in S'.
        destruct s as [|[|s]]; auto. destruct s; discriminate.
      - pose proof (no_inbox _ _ _ _ _ _ X i s No). congruence. }
    destruct Hs as [-> | ->]; [left|right]; split; auto.
    - apply (Left (seen (ml i) 0)). destruct (Crowds 0%nat j P L ls eq_refl FL _ Pl) as [Pp Ld].
      split; auto. split; auto. eapply Forall_impl; [|apply (left_live _ _ _ _ _ _ _ S)]. intros p [Op Cl]. split;
        auto.
      pose proof (right_lag _ _ _ _ _ _ _ S). specialize (Least _ _ _ R_1). lia.
    - apply (Right (seen (ml i) 1)). destruct (Crowds 1%nat j' Q R0 [lag] eq_refl FR _ Pr) as [Qp Ld].
      split; auto. split; auto.
      apply (its_right_is_late k minima maxima ls lag (seen (ml i) 1) (seen (ml i) 0) (seen (ml i) 1)); auto; [|lia].
      apply (Least _ _ _ R_0). }
  pose proof (Room i v V) as Rm. unfold has_room in Rm. unfold waits.
  assert (Fl : forall (f : partial -> bool) a, (length (filter f a) <= length a)%nat).
  { intros f a. induction a as [|x a IH]; simpl; auto. destruct (f x); simpl; lia. }
  destruct (kind_of v) as [n slots|own|negated minima maxima own|minima maxima own|w own|g at_bounds lag|] eqn:Kv;
    try (destruct (payload t); reflexivity); [exfalso; eapply NotEntry; reflexivity| |].
  - destruct (Two _ minima maxima eq_refl ltac:(left; eauto) Rm) as [[-> Fits]|[-> Fits]];
      (destruct (payload t); [|reflexivity]); rewrite Fits; [rewrite andb_false_r|]; simpl; rewrite ?andb_false_r;
        auto.
  - destruct (Two _ minima maxima eq_refl ltac:(right; eauto) Rm) as [[-> Fits]|[-> Fits]];
      (destruct (payload t) as [p|] eqn:Pt; [|reflexivity]); apply negb_false_iff; eapply fits_less; try exact Fits;
      cbn [collect_change].
    + rewrite collect_left_is. cbn [fst left]. unfold waiting_after. rewrite Pt.
      destruct (live_left minima maxima (right_bound (state c i)) p); rewrite ?app_length; simpl; lia.
    + simpl. rewrite Pt. eapply Nat.le_trans; [apply Fl|]. rewrite app_length. simpl. lia.
Qed.

End Room.
