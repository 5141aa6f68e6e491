# Completions of transcript-doctor for fish. The program says what may follow.

function __transcript_doctor_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in ($words[1] completions fish -- $words[2..-1] "$typed" 2> /dev/null)
        if test "$line" = :files
            __fish_complete_path "$typed"
        else
            echo $line
        end
    end
end

complete -c transcript-doctor -f -a '(__transcript_doctor_complete)'
