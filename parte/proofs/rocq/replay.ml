(* A machine that is proved, told what to do: reads a program, its sources and limits, then steps, one a line, and shows
   what each has changed, or takes all that there are. Conditions and emissions are asked of the other side
   (parte/conformance/partelang/engines/rocq), in lines that begin with "?". A word that is none of those that may stand in its place
   ends the program with a line that begins with "!": damaged input has no result.
   Not verified; what it shows is held against the Python machine (tests/campaigns/rocq.py). *)

open Parte_rocq

let expected what word = failwith (Printf.sprintf "expected %s, found %S" what word)
let word () = Scanf.scanf " %s" (fun word -> word)
let next () = match word () with "" -> failwith "the input ends too early" | word -> word
let decimal text =
  let digits = if text <> "" && text.[0] = '-' then String.sub text 1 (String.length text - 1) else text in
  match int_of_string_opt text with
  | Some n when String.for_all (fun c -> '0' <= c && c <= '9') digits -> n
  | _ -> expected "a whole number" text
let next_int () = decimal (next ())
let next_natural () = let n = next_int () in if n < 0 then expected "a number that is not negative" (string_of_int n) else n
let flag () = match next () with "1" -> true | "0" -> false | word -> expected "0 or 1" word
let below limit what n = if n >= limit then expected (Printf.sprintf "%s below %d" what limit) (string_of_int n) else n
let list_of read =
  let rec many n read_before = if n = 0 then List.rev read_before else many (n - 1) (read () :: read_before) in
  many (next_natural ()) []

(* Numbers are exchanged in binary, as the proof has them. *)
let z_of_string text =
  let positive = ref None in
  if text = "-" then expected "a binary number" text;
  String.iteri (fun place c -> match !positive, c with
    | None, '1' -> positive := Some XH
    | Some p, '1' -> positive := Some (XI p)
    | Some p, '0' -> positive := Some (XO p)
    | None, '0' -> ()
    | _, '-' when place = 0 -> ()
    | _ -> expected "a binary number" text) text;
  match !positive with None -> Z0 | Some p -> if text.[0] = '-' then Zneg p else Zpos p
let rec bits = function XH -> "1" | XO p -> bits p ^ "0" | XI p -> bits p ^ "1"
let string_of_z = function Z0 -> "0" | Zpos p -> bits p | Zneg p -> "-" ^ bits p
let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 0 then XO (positive_of_int (n / 2)) else XI (positive_of_int (n / 2))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of_int n) else Zneg (positive_of_int (- n))
let rec small = function XH -> 1 | XO p -> 2 * small p | XI p -> (2 * small p) + 1
let int_of_z = function Z0 -> 0 | Zpos p -> small p | Zneg p -> - small p
let next_z () = z_of_string (next ())

(* How many there are is said after the rules that name them. *)
let templates : int list ref = ref []
let next_template () = let t = next_natural () in templates := t :: !templates; t

(* Events: an id that the other side knows, a template, a timestamp. In the machine they carry sets. *)
let known : (int, occurrence) Hashtbl.t = Hashtbl.create 64
let event_of identity template stamp : event =
  match Hashtbl.find_opt known identity with
  | Some one ->
      if one.its_type <> template || one.stamp <> stamp then
        failwith (Printf.sprintf "event %d has two templates or timestamps" identity);
      Obj.magic one
  | None ->
      if identity < 0 then expected "the number of an event" (string_of_int identity);
      let one = { id = z_of_int identity; its_type = template; stamp } in
      Hashtbl.add known identity one; Obj.magic one
let id_of (event : event) = string_of_int (int_of_z (Obj.magic event : occurrence).id)
let ids events = String.concat " " (List.map id_of events)
(* A match, and behind it each of its sets after a slash. *)
let ids_with_sets events sets = ids events ^ String.concat "" (List.map (fun set -> " / " ^ ids set) sets)
let carrying_none (event : event) : event = Obj.magic (event, ([] : event list list))
let without_sets (event : event) : event = fst (Obj.magic event : event * event list list)

let answers : (string, string list) Hashtbl.t = Hashtbl.create 1024
(* Which condition or emission a node has: the first question that it asks about any events. *)
exception Asks of string
let looking = ref false
let question_of evaluate =
  looking := true;
  let asked = try evaluate (); "-" with Asks question -> String.concat "." (List.filteri (fun i _ -> i < 3) (String.split_on_char ' ' question)) in
  looking := false; asked
let ask question words =
  if !looking then raise (Asks question);
  match Hashtbl.find_opt answers question with
  | Some answer -> answer
  | None ->
      Printf.printf "? %s\n%!" question;
      let answer = words () in
      Hashtbl.add answers question answer; answer
let holds question = ask question (fun () -> [if flag () then "1" else "0"]) = ["1"]
(* Whether there is anything to ask: a pattern without conditions takes every event. *)
let next_demand () = flag ()

(* The timestamp of an event of a set is known to be the opening of its window at least. *)
let exact = ref true
let rec read_timestamp position () =
  match next () with
  | "v" -> OfVariable (position ())
  | "s" -> let d = next_z () in Shifted (read_timestamp position (), d)
  | "min" -> Earliest (list_of (read_timestamp position))
  | "max" -> Latest (list_of (read_timestamp position))
  | "set" -> exact := false; Latest (list_of (read_timestamp position))
  | "avg" -> Average (list_of (read_timestamp position))
  | word -> expected "v, s, min, max, set or avg" word

let rules = ref 0
let read_rule () =
  let r = !rules in
  incr rules;
  let number = ref 0 and positive = ref 1 in
  let own () = let l = !number in let demands = next_demand () in
    fun event -> not demands || holds (Printf.sprintf "own %d %d %s" r l (ids [event])) in
  let joint () = let l = !number in let demands = next_demand () in
    fun events -> not demands || holds (Printf.sprintf "joint %d %d %s" r l (ids events)) in
  let first = list_of (fun () -> let template = next_template () in (template, own ())) in
  let alternative () =
    let o_template = next_template () in let o_own = own () in let o_joint = joint () in { o_template; o_own; o_joint } in
  let distances () = list_of (fun () ->
    let j = next_natural () in
    let least = match next () with "ever" -> None | word -> Some (z_of_string word) in
    (j, (least, next_z ()))) in
  let patterns = list_of (fun () ->
    incr number;
    match next () with
    | "0" -> incr positive; Either.Left (Bound (list_of alternative))
    | "1" -> let what = alternative () in Either.Left (Absent (what, distances ()))
    | "2" -> let what = alternative () in Either.Right (what, distances ())
    | word -> expected "0, 1 or 2" word) in
  let further, sets = List.partition_map Fun.id patterns in
  let position () = below !positive "a position" (next_natural ()) in
  let known_positions = List.iter (fun (j, _) -> ignore (below !positive "a position" j)) in
  List.iter (function Absent (_, ds) -> known_positions ds | Bound _ -> ()) further;
  List.iter (fun (_, ds) -> known_positions ds) sets;
  let constraints = list_of (fun () ->
    let subject = position () in let reference = position () in
    let least = next_z () in let greatest = next_z () in { subject; reference; least; greatest }) in
  let having = if next_demand () then
      Some (fun events sets -> Some (holds (Printf.sprintf "having %d 0 %s" r (ids_with_sets events sets))))
    else None in
  let made = ref 0 in
  let emissions = list_of (fun () ->
    incr made;
    let m = !made in
    let template = next_template () in
    exact := true;
    let at = read_timestamp position () in
    let exact = !exact in
    stamped template at (fun events sets ->
      match ask (Printf.sprintf "emit %d %d %s" r m (ids_with_sets events sets)) (fun () ->
        match next () with "none" -> [] | identity -> let stamp = next () in [identity; stamp]) with
      | [identity; stamp] ->
          let stamp = z_of_string stamp in
          let instant = instant at (times integers events) in
          if not (if exact then stamp = instant else Z.leb instant stamp) then failwith "an emission is not at its time";
          Some (event_of (decimal identity) template stamp)
      | _ -> None)) in
  { f_first = first; f_further = further; f_when = constraints; f_sets = sets; f_having = having;
    f_emissions = emissions }

let read_token () =
  let bound = next_z () in
  match next_int () with
  | -1 -> { bounds = [bound]; payload = None }
  | identity -> let template = next_template () in
      { bounds = [bound]; payload = Some [carrying_none (event_of identity template (next_z ()))] }

let shown_bounds bounds = String.concat "," (List.map string_of_z bounds)
let listed events = String.concat "," (List.map id_of events)
let shown_events events = listed (List.map without_sets events)
let shown_all partials = String.concat ";" (List.map shown_events partials)
let shown_token token =
  shown_bounds token.bounds ^ ":" ^ (match token.payload with None -> "-" | Some events -> shown_events events)

(* A network, node by node: the kind, what it has, and where its slots come from. The bounds of emissions are those of
   given times of the events. *)
let shown_network net times =
  let any : event = carrying_none (Obj.magic { id = Z0; its_type = 0; stamp = Z0 } : event) in
  let several n = List.init n (fun _ -> any) in
  let widths = Array.make (List.length net) 1 in
  let shown i v =
    let width = match v.sources with Internal j :: _ -> widths.(j) | _ -> 1 in
    let two_input name minima maxima condition =
      Printf.sprintf "%s %s %s %s" name (shown_bounds minima) (shown_bounds maxima)
        (question_of (fun () -> ignore (condition (several (width + 1))))) in
    let kind = match v.kind_of with
      | Entry (template, slots) -> Printf.sprintf "entry %d %d" template slots
      | Alpha condition -> "alpha " ^ question_of (fun () -> ignore (condition any))
      | TwoInput (negated, minima, maxima, condition) ->
          widths.(i) <- if negated then width else width + 1;
          two_input (if negated then "not" else "join") minima maxima condition
      | Collecting (minima, maxima, condition) -> widths.(i) <- width; two_input "set" minima maxima condition
      | Filtering (w, condition) ->
          widths.(i) <- width;
          Printf.sprintf "filter %d %s" w (question_of (fun () -> ignore (condition (several width))))
      | Production (generate, bound, _) ->
          Printf.sprintf "production %s %s" (question_of (fun () -> ignore (generate (several width))))
            (string_of_z (bound (List.filteri (fun k _ -> k < width) times)))
      | Terminal -> "terminal" in
    let source = function External q -> "q" ^ string_of_int q | Internal j -> string_of_int j in
    kind ^ " = " ^ String.concat " " (List.map source v.sources) in
  String.concat "/" (List.mapi shown net)

(* Maps as tables, so that a step costs the same in a long run. *)
let settled nodes slots queues c =
  let queue = Array.init queues c.queue and outbox = Array.init nodes c.outbox and state = Array.init nodes c.state in
  let inbox = Array.init nodes (fun i -> Array.init slots.(i) (c.inbox i)) in
  { queue = (fun q -> queue.(q)); outbox = Array.get outbox; state = Array.get state;
    inbox = (fun i k -> if i < nodes && k < slots.(i) then inbox.(i).(k) else []) }

(* The other side gives a program, with its sources and limits, then commands until it gives another. *)
let session () =
  Hashtbl.reset known; Hashtbl.reset answers; rules := 0; templates := [];
  let program = list_of (fun () ->
    let templates = list_of next_template in { f_templates = templates; f_rules = list_of read_rule }) in
  let queues_of = Array.of_list (list_of (fun () -> list_of next_natural)) in
  let queues = Array.of_list (list_of (fun () -> list_of read_token)) in
  Array.iter (List.iter (fun q -> ignore (below (Array.length queues) "a source" q))) queues_of;
  List.iter (fun t -> ignore (below (Array.length queues_of) "a template" t)) !templates;
  let room () = match next () with "-1" -> None | word -> let n = decimal word in if n < 0 then expected "a room" word else Some n in
  let limits = Array.of_list (list_of (fun () ->
    let left_room = room () in let right_room = room () in let inbox_room = room () in let outbox_room = room () in
    { left_room; right_room; inbox_room; outbox_room; turns = flag () })) in
  let limit i = if limits = [||] then unlimited else limits.(i) in
  let built = compiled_network (Array.get queues_of) program in
  let net = built.graph in
  let nodes = List.length net in
  let slots = Array.of_list (List.map (fun v -> List.length v.sources) net) in
  let settled = settled nodes slots (Array.length queues) in
  let c = ref (settled (start with_sets net (Array.get queues))) in
  let take action show =
    match takes with_sets net limit !c action with
    | None -> print_string "0\n"
    | Some next -> c := settled next; Printf.printf "1 %s\n" (show ()) in
  let action () =
    match next () with
    | "arrive" -> Arrive (next_natural ())
    | "process" -> let i = next_natural () in Process (i, next_natural ())
    | "propagate" -> Propagate (next_natural ())
    | word -> expected "arrive, process or propagate" word in
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
  (* Every step that is possible, in an order that is drawn, until there is none; or none but of what arrives. *)
  let rec rest arriving =
    let waiting = ref [] in
    let wait action tokens = if tokens <> [] then waiting := action :: !waiting in
    if arriving then for q = 0 to Array.length queues - 1 do wait (Arrive q) (!c.queue q) done;
    for i = 0 to nodes - 1 do
      wait (Propagate i) (!c.outbox i);
      for k = 0 to slots.(i) - 1 do wait (Process (i, k)) (!c.inbox i k) done
    done;
    if !waiting <> [] then
      match takes with_sets net limit !c (List.nth !waiting (Random.int (List.length !waiting))) with
      | None -> failwith "a step without room, though there are no limits"
      | Some next -> c := settled next; rest arriving in
  let rec serve () =
    let command = word () in
    (match command with
    | "rest" -> Random.init (next_int ()); rest true; print_endline "1"
    | "settle" -> Random.init (next_int ()); rest false; print_endline "1"
    | "nodes" -> print_endline (String.concat "/" (List.init nodes node))
    | "step" -> let a = action () in take a (fun () -> changed a)
    | "from" ->
        c := Hashtbl.find met (next_int ());
        let after = next_int () in
        take (action ()) (fun () -> Hashtbl.replace met after !c; whole ())
    | "network" -> print_endline (shown_network net (list_of next_z))
    | "strata" -> print_endline (if strata_pass (Array.get queues_of) program then "1" else "0")
    | "passes" ->
        let rule cases = (if List.for_all (passes with_sets) cases then "passes" else "fails")
          ^ if List.exists (fun r -> snd (closure_of with_sets r)) cases then "-contradicts" else "" in
        let cases = List.concat_map (fun s -> s.w_rules) (on_the_machine program) in
        print_endline (String.concat " " (List.map rule (by_rule program cases)))
    | "reported" ->
        let by_its_cases = List.concat_map (fun i -> (!c.state i).reported) in
        print_endline (String.concat "|" (List.map (fun ends -> shown_all (by_its_cases ends)) (by_rule program built.ends)))
    | "meaning" ->
        let stream = list_of (fun () -> let identity = next_int () in let template = below (Array.length queues_of) "a template" (next_natural ()) in
          event_of identity template (next_z ())) in
        let shown found = String.concat ";" (List.map (fun (events, _) -> listed events) found) in
        print_endline (String.concat "|" (List.map shown (meaning program stream)))
    | "program" -> ()
    | "" -> exit 0  (* the other side is gone *)
    | word -> expected "a command" word);
    flush stdout;
    if command <> "program" then serve () in
  serve ()

let () =
  try
    match word () with
    | "program" -> while true do session () done
    | "" -> ()
    | word -> expected "program" word
  with
  | Failure reason | Invalid_argument reason -> Printf.printf "! %s\n%!" reason; exit 2
  | Not_found -> print_endline "! there is no configuration or source of that number"; exit 2
  | Stack_overflow | Out_of_memory -> print_endline "! too long for this program"; exit 2
