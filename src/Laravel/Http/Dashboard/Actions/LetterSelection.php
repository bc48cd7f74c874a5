<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Spool\DeadLetters\DeadLetterId;
use Headroom\Spool\DeadLetters\DeadLetterKind;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Illuminate\Http\Request;

/**
 * The dead letters of one bucket that a request names: by ids, of one kind, or all. A request continues with the cursor
 * of the one before it, up to the letter that was the newest then: an event that fails again is not retried again.
 *
 * @internal
 */
final readonly class LetterSelection
{
    private const MAX_IDS = 10_000;

    private const CURSOR = '/\A(\d{20}-\d{20}-\d{5})\.\.(\d{20}-\d{20}-\d{5})\z/';

    /**
     * @param ?array<string, true> $positions the named letters; null for all
     * @param ?string $kind hash of the kind; null for all
     * @param string $after position of the last letter that is done; "" for none
     * @param string $until position of the last letter to do; "" for the newest
     */
    private function __construct(
        public string $bucket,
        private ?array $positions,
        public ?string $kind,
        private string $after = '',
        private string $until = '',
    ) {}

    /** Returns null for a request that names none. */
    public static function of(string $bucket, Request $request): ?self
    {
        $ids = $request->json('ids');
        $kind = $request->json('kind');
        $after = $request->json('after');
        $isCursor = is_string($after) && preg_match(self::CURSOR, $after, $m) === 1;
        [$from, $until] = $isCursor ? [$m[1], $m[2]] : ['', ''];

        return match (true) {
            is_array($ids) && count($ids) <= self::MAX_IDS
                => new self($bucket, self::named($bucket, $ids), null, $from, $until),
            is_string($kind) && $kind !== '' => new self($bucket, null, $kind, $from, $until),
            $request->json('all') === true => new self($bucket, null, null, $from, $until),
            default => null,
        };
    }

    /**
     * @param array<array-key, mixed> $ids those of other buckets are ignored
     * @return array<string, true>
     */
    private static function named(string $bucket, array $ids): array
    {
        $positions = [];

        foreach ($ids as $text) {
            $id = is_string($text) ? DeadLetterId::tryFrom($text) : null;

            if ($id?->bucket === $bucket) {
                $positions[$id->position()->toString()] = true;
            }
        }

        return $positions;
    }

    /**
     * @param list<string> $all positions, in the order of the log
     * @return list<string> those that are still to do
     */
    public function select(array $all): array
    {
        return array_values(array_filter(
            $all,
            fn (string $position): bool => $position > $this->after
                && ($this->until === '' || $position <= $this->until)
                && ($this->positions === null || isset($this->positions[$position])),
        ));
    }

    public function includes(DeadLetter|CorruptDeadLetter $letter): bool
    {
        return $this->kind === null || DeadLetterKind::of($letter)->hash === $this->kind;
    }

    /** @param string $done position of the last letter that is done */
    public function cursor(string $done, string $newest): string
    {
        return "{$done}..".($this->until === '' ? $newest : $this->until);
    }
}
