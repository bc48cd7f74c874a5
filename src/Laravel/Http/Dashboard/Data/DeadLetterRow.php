<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

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
    public function __construct(private string $bucket, private Codec $codec, private EventValues $values) {}

    /**
     * @param bool $isCut whether long values are cut
     * @return array<string, mixed>
     */
    public function toArray(DeadLetter|CorruptDeadLetter $letter, bool $isCut = true): array
    {
        $isWhole = $letter instanceof DeadLetter;

        return [
            'id' => DeadLetterId::of($this->bucket, $letter->position)->toString(),
            'event_id' => $isWhole ? Sentences::shown($letter->id) : null,
            'accepted_at' => $isWhole ? self::time($letter->acceptedAt) : null,
            'died_at' => $isWhole ? self::time($letter->diedAt) : null,
            'sink' => $isWhole ? Sentences::shown($letter->sink) : null,
            'reason' => Sentences::withCommands($letter->reason),
            'kind' => DeadLetterKind::of($letter)->hash,
            'event' => $isWhole ? $this->event($letter, $isCut) : null,
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

    /** @return object|string values by column; the text of an event that cannot be decoded is not shown */
    private function event(DeadLetter $letter, bool $isCut): object|string
    {
        try {
            [$values] = $this->codec->decode($letter->line);
        } catch (UnableToDecode $e) {
            return Sentences::shown(ucfirst($e->getMessage()));
        }

        $redacted = $this->values->redacted($values);

        return (object) ($isCut ? EventValues::cut($redacted) : $redacted);
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }
}
