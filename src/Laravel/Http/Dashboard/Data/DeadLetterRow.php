<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\DeadLetters\DeadLetterId;
use Headroom\Spool\DeadLetters\DeadLetterKind;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * A dead letter as the page shows it.
 *
 * @internal
 */
final readonly class DeadLetterRow
{
    /** A kind is a line of a list. */
    private const KIND_BYTES = 300;

    public function __construct(private string $bucket, private Codec $codec, private EventValues $values) {}

    /**
     * @param bool $isCut whether long values are cut
     * @return array<string, mixed>
     */
    public function toArray(DeadLetter|CorruptDeadLetter $letter, bool $isCut = true): array
    {
        $isWhole = $letter instanceof DeadLetter;
        [$event, $reason] = $isWhole ? $this->shown($letter, $isCut) : [null, $letter->reason];

        return [
            'id' => DeadLetterId::of($this->bucket, $letter->position)->toString(),
            'event_id' => $isWhole ? Sentences::shown($letter->id) : null,
            'accepted_at' => $isWhole ? self::time($letter->acceptedAt) : null,
            'died_at' => $isWhole ? self::time($letter->diedAt) : null,
            'sink' => $isWhole ? Sentences::shown($letter->sink) : null,
            'reason' => Sentences::withCommands($reason),
            'kind' => DeadLetterKind::of($letter)->hash,
            'event' => $event,
            'corrupt' => ! $isWhole,
        ];
    }

    /**
     * Searches what the page shows of the letter, so that no search finds a redacted value.
     *
     * @param string $text in lower case
     */
    public function contains(DeadLetter|CorruptDeadLetter $letter, string $text): bool
    {
        $row = $this->toArray($letter, false);
        $event = $row['event'];
        unset($row['event'], $row['kind']);
        $words = [...array_values($row), ...array_values(is_object($event) ? (array) $event : [$event])];

        foreach ($words as $word) {
            if (is_scalar($word) && str_contains(mb_strtolower(mb_scrub((string) $word, 'UTF-8')), $text)) {
                return true;
            }
        }

        return false;
    }

    /** The reason of a kind, of which this is the newest letter. */
    public function reason(DeadLetter|CorruptDeadLetter $letter): string
    {
        return Sentences::shown(
            $letter instanceof DeadLetter ? $this->shown($letter, true)[1] : $letter->reason,
            self::KIND_BYTES,
        );
    }

    /**
     * @return array{object|string, string} values by column, and the reason; the text of an event that cannot be
     *     decoded is not shown
     */
    private function shown(DeadLetter $letter, bool $isCut): array
    {
        try {
            [$values] = $this->codec->decode($letter->line);
        } catch (UnableToDecode $e) {
            return [Sentences::shown(ucfirst($e->getMessage())), $letter->reason];
        }

        $redacted = $this->values->redacted($values);

        return [
            (object) ($isCut ? EventValues::cut($redacted) : $redacted),
            ShownReason::of($letter->reason, EventValues::plain($values), $redacted),
        ];
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }
}
