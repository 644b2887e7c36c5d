(* A machine that is proved, told what to do: reads a program, its sources and limits, then steps, one a line, and shows
   what each has changed, or takes all that there are. Conditions and emissions are asked of the other side
   (conformance/parte/engines/rocq), in lines that begin with "?".
   Not verified; what it shows is held against the Python machine (tests/campaigns/rocq.py). *)

open Parte_rocq

let next () = Scanf.scanf " %s" (fun word -> word)
let next_int () = int_of_string (next ())
let rec many n read = if n = 0 then [] else let x = read () in x :: many (n - 1) read
let list_of read = let n = next_int () in many n read

(* Numbers are exchanged in binary, as the proof has them. *)
let z_of_string text =
  let positive = ref None in
  String.iter (fun c -> match !positive, c with
    | None, '1' -> positive := Some XH
    | Some p, '1' -> positive := Some (XI p)
    | Some p, '0' -> positive := Some (XO p)
    | _ -> ()) text;
  match !positive with None -> Z0 | Some p -> if text.[0] = '-' then Zneg p else Zpos p
let rec bits = function XH -> "1" | XO p -> bits p ^ "0" | XI p -> bits p ^ "1"
let string_of_z = function Z0 -> "0" | Zpos p -> bits p | Zneg p -> "-" ^ bits p
let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n / 2)) else XI (positive_of_int (n / 2))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of_int n) else Zneg (positive_of_int (- n))
let rec small = function XH -> 1 | XO p -> 2 * small p | XI p -> (2 * small p) + 1
let int_of_z = function Z0 -> 0 | Zpos p -> small p | Zneg p -> - small p
let next_z () = z_of_string (next ())

(* Events: an id that the other side knows, a template, a timestamp. *)
let known : (int, event) Hashtbl.t = Hashtbl.create 64
let event_of identity template stamp : event =
  match Hashtbl.find_opt known identity with
  | Some event -> event
  | None ->
      let event = Obj.magic { id = z_of_int identity; its_type = template; stamp } in
      Hashtbl.add known identity event; event
let id_of (event : event) = int_of_z (Obj.magic event : occurrence).id
let ids events = String.concat " " (List.map (fun event -> string_of_int (id_of event)) events)

let answers : (string, string list) Hashtbl.t = Hashtbl.create 1024
let ask question words =
  match Hashtbl.find_opt answers question with
  | Some answer -> answer
  | None ->
      Printf.printf "? %s\n%!" question;
      let answer = words () in
      Hashtbl.add answers question answer; answer
let holds question = ask question (fun () -> [next ()]) = ["1"]
(* Whether there is anything to ask: a pattern without conditions takes every event. *)
let next_demand () = next () = "1"

let rec read_timestamp () =
  match next () with
  | "v" -> OfVariable (next_int ())
  | "s" -> let d = next_z () in Shifted (read_timestamp (), d)
  | "min" -> Earliest (list_of read_timestamp)
  | "max" -> Latest (list_of read_timestamp)
  | _ -> Average (list_of read_timestamp)

let rules = ref 0
let read_rule () =
  let r = !rules in
  incr rules;
  let first = next_int () in
  let first_demands = next_demand () in
  let number = ref 0 in
  let links = list_of (fun () ->
    incr number;
    let l = !number in
    let negated = next () = "1" in
    let template = next_int () in
    let demands = next_demand () in
    let joint_demands = next_demand () in
    let against = list_of (fun () -> let j = next_int () in let low = next_z () in let high = next_z () in (j, (low, high))) in
    { w_negated = negated; w_template = template; w_against = against;
      w_own = (fun event -> not demands || holds (Printf.sprintf "own %d %d %s" r l (ids [event])));
      w_joint = (fun events -> not joint_demands || holds (Printf.sprintf "joint %d %d %s" r l (ids events))) }) in
  let constraints = list_of (fun () ->
    let subject = next_int () in let reference = next_int () in
    let least = next_z () in let greatest = next_z () in { subject; reference; least; greatest }) in
  let made = ref 0 in
  let emissions = list_of (fun () ->
    incr made;
    let m = !made in
    let template = next_int () in
    let at = read_timestamp () in
    emission_at integers template at (fun events ->
      match ask (Printf.sprintf "emit %d %d %s" r m (ids events)) (fun () ->
        match next () with "0" -> [] | identity -> let stamp = next () in [identity; stamp]) with
      | [identity; stamp] ->
          let stamp = z_of_string stamp in
          if stamp <> instant at (times integers events) then failwith "an emission is not at its time";
          Some (event_of (int_of_string identity) template stamp)
      | _ -> None)) in
  { w_first = first; w_first_own = (fun event -> not first_demands || holds (Printf.sprintf "own %d 0 %s" r (ids [event])));
    w_links = links; w_when = constraints; w_emissions = emissions }

let read_token () =
  let bound = next_z () in
  match next_int () with
  | -1 -> { bounds = [bound]; payload = None }
  | identity -> let template = next_int () in
      { bounds = [bound]; payload = Some [event_of identity template (next_z ())] }

let shown_bounds bounds = String.concat "," (List.map string_of_z bounds)
let shown_events events = String.concat "," (List.map (fun event -> string_of_int (id_of event)) events)
let shown_all partials = String.concat ";" (List.map shown_events partials)
let shown_token token =
  shown_bounds token.bounds ^ ":" ^ (match token.payload with None -> "-" | Some events -> shown_events events)

(* Maps as tables, so that a step costs the same in a long run. *)
let settled nodes slots queues c =
  let queue = Array.init queues c.queue and outbox = Array.init nodes c.outbox and state = Array.init nodes c.state in
  let inbox = Array.init nodes (fun i -> Array.init slots.(i) (c.inbox i)) in
  { queue = (fun q -> queue.(q)); outbox = Array.get outbox; state = Array.get state;
    inbox = (fun i k -> if i < nodes && k < slots.(i) then inbox.(i).(k) else []) }

(* The other side gives a program, with its sources and limits, then commands until it gives another. *)
let session () =
  Hashtbl.reset known; Hashtbl.reset answers; rules := 0;
  let program = list_of (fun () ->
    let templates = list_of next_int in { w_templates = templates; w_rules = list_of read_rule }) in
  let queues_of = Array.of_list (list_of (fun () -> list_of next_int)) in
  let queues = Array.of_list (list_of (fun () -> list_of read_token)) in
  let room () = match next_int () with -1 -> None | n -> Some n in
  let limits = Array.of_list (list_of (fun () ->
    let left_room = room () in let right_room = room () in let inbox_room = room () in let outbox_room = room () in
    { left_room; right_room; inbox_room; outbox_room; turns = next () = "1" })) in
  let limit i = if limits = [||] then unlimited else limits.(i) in
  let built = compiled_network (Array.get queues_of) program in
  let net = built.graph in
  let nodes = List.length net in
  let slots = Array.of_list (List.map (fun v -> List.length v.sources) net) in
  let settled = settled nodes slots (Array.length queues) in
  let c = ref (settled (start integers net (Array.get queues))) in
  let take action show =
    match takes integers net limit !c action with
    | None -> print_string "0\n"
    | Some next -> c := settled next; Printf.printf "1 %s\n" (show ()) in
  let action () =
    match next () with
    | "arrive" -> Arrive (next_int ())
    | "process" -> let i = next_int () in Process (i, next_int ())
    | _ -> Propagate (next_int ()) in
  let tokens l = String.concat " " (List.map shown_token l) in
  let node i =
    let d = !c.state i in
    Printf.sprintf "%s|%s|%s|%s|%s" (shown_bounds d.left_bounds) (string_of_z d.right_bound) (shown_all d.left)
      (shown_all d.right) (tokens (!c.outbox i)) in
  let changed = function Process (i, _) -> node i | _ -> "" in
  (* A whole configuration; configurations that were met are kept by number, to go on from any of them. *)
  let whole () =
    let inboxes i = String.concat "&" (List.init slots.(i) (fun k -> tokens (!c.inbox i k))) in
    let found i = String.concat ";" (List.sort compare (List.map shown_events (!c.state i).reported)) in
    String.concat "/" (List.init nodes (fun i -> Printf.sprintf "%s|%s|%s" (node i) (inboxes i) (found i))) in
  let met = Hashtbl.create 1024 in
  Hashtbl.add met 0 !c;
  (* Every step that is possible, in an order that is drawn, until there is none. *)
  let rec rest () =
    let waiting = ref [] in
    let wait action tokens = if tokens <> [] then waiting := action :: !waiting in
    for q = 0 to Array.length queues - 1 do wait (Arrive q) (!c.queue q) done;
    for i = 0 to nodes - 1 do
      wait (Propagate i) (!c.outbox i);
      for k = 0 to slots.(i) - 1 do wait (Process (i, k)) (!c.inbox i k) done
    done;
    if !waiting <> [] then
      match takes integers net limit !c (List.nth !waiting (Random.int (List.length !waiting))) with
      | None -> failwith "a step without room, though there are no limits"
      | Some next -> c := settled next; rest () in
  let rec serve () =
    let command = next () in
    (match command with
    | "rest" -> Random.init (next_int ()); rest (); print_endline "1"
    | "step" -> let a = action () in take a (fun () -> changed a)
    | "from" ->
        c := Hashtbl.find met (next_int ());
        let after = next_int () in
        take (action ()) (fun () -> Hashtbl.replace met after !c; whole ())
    | "passes" ->
        let rule r = (if passes integers r then "passes" else "fails") ^ if snd (closure_of integers r) then "-contradicts" else "" in
        print_endline (String.concat " " (List.concat_map (fun s -> List.map rule s.w_rules) program))
    | "reported" ->
        print_endline (String.concat "|" (List.map (fun i -> shown_all (!c.state i).reported) built.ends))
    | "meaning" ->
        let stream = list_of (fun () -> let identity = next_int () in let template = next_int () in
          event_of identity template (next_z ())) in
        print_endline (String.concat "|" (List.map shown_all (meaning integers program stream)))
    | "program" -> ()
    | _ -> exit 0  (* the other side is gone *));
    flush stdout;
    if command <> "program" then serve () in
  serve ()

let () = if next () = "program" then while true do session () done
