<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\Clock;
use Headroom\Spool\DeadLetters\DeadLetterKind;
use Headroom\Spool\DeadLetters\ListedLetters;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;

/**
 * One page of a bucket's dead letters, newest first. A request reads a limited number of letters, for a limited time:
 * `next` continues where it has stopped.
 *
 * @internal
 */
final class DeadLetterPage
{
    public const MAX_READ = 5_000;

    private const MAX_NANOS = 1_000_000_000;

    private const MAX_BYTES = 65_536;

    /** The most frequent ones. A sink may give each letter a reason of its own. */
    private const MAX_KINDS = 50;

    /** @var array<string, array{kind: string, reason: string, letters: int}> */
    private array $kinds = [];

    /** @var list<array<string, mixed>> */
    private array $shown = [];

    private int $bytes = 0;

    private int $scanned = 0;

    public function __construct(
        private readonly ListedLetters $letters,
        private readonly DeadLetterRow $row,
        private readonly DeadLetterQuery $query,
        private readonly Clock $clock,
    ) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $all = array_reverse($this->letters->positions());
        $left = $this->query->after === '' ? $all : array_values(array_filter(
            $all,
            fn (string $position): bool => strcmp($position, $this->query->after) < 0,
        ));
        [$next, $isComplete] = $this->scan($left);
        $kinds = array_values($this->kinds);
        usort($kinds, static fn (array $a, array $b): int => $b['letters'] <=> $a['letters']);

        return [
            'total' => count($all),
            'kinds' => array_slice($kinds, 0, self::MAX_KINDS),
            'more_kinds' => max(0, count($kinds) - self::MAX_KINDS),
            'letters' => $this->shown,
            'next' => $next,
            'scanned' => $this->scanned,
            'complete' => $isComplete,
        ];
    }

    /**
     * @param list<string> $positions newest first
     * @return array{?string, bool} position of the last letter that was considered for this page, null at the end; and
     *     whether all letters were read
     */
    private function scan(array $positions): array
    {
        $until = $this->clock->monotonicNanos() + self::MAX_NANOS;
        $next = null;
        $last = null;

        foreach ($this->letters->at(array_slice($positions, 0, self::MAX_READ)) as $letter) {
            $this->scanned++;
            $last = $letter->position->toString();
            $this->count($letter);

            if ($next === null && $this->isWanted($letter) && ! $this->show($letter)) {
                $next = $last;
            }

            // Later pages need no kinds: the first one has counted them.
            if ($this->clock->monotonicNanos() >= $until || ($next !== null && $this->query->after !== '')) {
                break;
            }
        }

        $isComplete = $last === null || $last === end($positions);

        return [$next === end($positions) ? null : $next ?? ($isComplete ? null : $last), $isComplete];
    }

    /** @return bool whether the page has room for more */
    private function show(DeadLetter|CorruptDeadLetter $letter): bool
    {
        $row = $this->row->toArray($letter);
        $this->shown[] = $row;
        $this->bytes += strlen((string) json_encode($row, JSON_INVALID_UTF8_SUBSTITUTE));

        return count($this->shown) < $this->query->limit && $this->bytes < self::MAX_BYTES;
    }

    private function isWanted(DeadLetter|CorruptDeadLetter $letter): bool
    {
        return ($this->query->kind === '' || DeadLetterKind::of($letter)->hash === $this->query->kind)
            && ($this->query->search === '' || $this->row->contains($letter, $this->query->search));
    }

    private function count(DeadLetter|CorruptDeadLetter $letter): void
    {
        $kind = DeadLetterKind::of($letter);
        $this->kinds[$kind->hash] ??= [
            'kind' => $kind->hash,
            'reason' => $this->row->reason($letter),
            'letters' => 0,
        ];
        $this->kinds[$kind->hash]['letters']++;
    }
}
