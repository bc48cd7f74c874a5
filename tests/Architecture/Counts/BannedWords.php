<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * Words that the house does not use, each with the reason, and where a text has them.
 */
final readonly class BannedWords
{
    /** A verb by its form: an auxiliary, a third person, or a past tense. */
    private const VERB = '(?:is|was|are|were|has|had|have|does|did|do|can|cannot|could|may|might|must|shall|should'
        .'|will|would|came|went|stood|got'
        .'|(?!(?:this|its|his|hers|us|always|perhaps|less|as)\b)[a-z]{2,}s|[a-z]{2,}ed)\b';

    private const TAG = '/@(?:param|return|var|throws)\s+(?:\S+<[^>]*>+\S*|\S+)\s+(?:\$\w+)?/';

    /** @return array<string, Pattern> */
    public static function patterns(): array
    {
        return [
            'whoever' => new Pattern('/\bwhoever\b/i', 'Name the actor.'),
            'whatever' => new Pattern('/\bwhatever\b/i', 'Name the thing, or say "any".'),
            'whom' => new Pattern('/\bwhom\b/i', 'Name the actor.'),
            'somebody' => new Pattern('/\bsomebody\b/i', 'Name the actor.'),
            // The user of that name runs daemons: `nobody`, "nobody", nobody:nogroup.
            'nobody' => new Pattern('/(?<![`"\'=@:\/]|user |as )\bnobody\b(?![`"\':;])/i', 'Say "no" with the actor.'),
            'anew' => new Pattern('/\banew\b/i', 'Say "again".'),
            // `mend` is a member of spool:health --json.
            'mend' => new Pattern('/(?<![`"])\bmend(?:s|ed|ing)?\b(?![`"])/i', 'Say "fix" or "repair".'),
            'can not' => new Pattern('/\bcan not\b(?! only\b)/i', 'Say "cannot".'),
            'for ever' => new Pattern('/\bfor ever\b/i', 'Say "forever".'),
            'beside' => new Pattern('/\bbeside (?:it|them|that)\b/i', 'Say "next to", "in addition" or "also".'),
            'at work' => new Pattern('/\bat work\b/i', 'Say "running" or "busy".'),
            'what stands' => new Pattern('/\bwhat st(?:ands|ood)\b/i', 'Name the thing.'),
            'is none' => new Pattern('/\bis none\b/i', 'Say "is not a ...", or "there is no ...".'),
            'Who as a subject' => new Pattern('/\AWho '.self::VERB.'/', 'Name the actor.', ofCommentsOnly: true),
            'What as a subject' => new Pattern('/\AWhat '.self::VERB.'/', 'Name the thing.', ofCommentsOnly: true),
        ];
    }

    /** @return list<string> "12: anew. Say "again"." for each word */
    public static function inText(Text $text): array
    {
        // A literal of one word is a name of something: a user, a JSON member, an option.
        if (! $text->isComment && preg_match('/\s/', trim($text->text)) !== 1) {
            return [];
        }

        $found = [];

        foreach ($text->isComment ? self::sentences($text->text) : [$text->text] as $sentence) {
            array_push($found, ...self::inSentence($sentence, $text->isComment));
        }

        return array_map(static fn (string $breach): string => "{$text->line}: {$breach}", $found);
    }

    /** @return list<string> of a document, or of a file that is read as one */
    public static function inLines(string $document): array
    {
        $found = [];

        foreach (explode("\n", $document) as $number => $line) {
            foreach (self::inSentence($line, false) as $breach) {
                $found[] = ($number + 1).": {$breach}";
            }
        }

        return $found;
    }

    /** @return list<string> */
    private static function inSentence(string $sentence, bool $isComment): array
    {
        $found = [];

        foreach (self::patterns() as $word => $pattern) {
            if ($pattern->ofCommentsOnly && (! $isComment || str_ends_with($sentence, '?'))) {
                continue;
            }

            $times = (int) preg_match_all($pattern->regex, $sentence);
            array_push($found, ...array_fill(0, $times, "{$word}. {$pattern->reason}"));
        }

        return $found;
    }

    /** @return list<string> of a comment, without the marks of comments and of tags */
    private static function sentences(string $comment): array
    {
        $text = (string) preg_replace(['~\A\s*/\*+|\*+/\s*\z~', '~^[ \t]*(?:\*|//|#)[ \t]?~m'], '', $comment);
        $text = (string) preg_replace(self::TAG, "\n\n", $text);
        $sentences = preg_split('/(?<=[.!?])\s+|\n\s*\n/', $text);

        return array_map(
            static fn (string $sentence): string => trim((string) preg_replace('/\s+/', ' ', $sentence)),
            $sentences === false ? [] : $sentences,
        );
    }
}
