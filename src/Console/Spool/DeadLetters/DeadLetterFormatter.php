<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Console\JsonOutput;
use Headroom\Spool\DeadLetters\DeadLetterId;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
final readonly class DeadLetterFormatter
{
    private JsonOutput $json;

    public function __construct(private OutputInterface $output, private bool $isJson)
    {
        $this->json = new JsonOutput($output);
    }

    /**
     * @param list<BucketDeadLetters> $buckets
     * @param ?string $asked the only bucket that was asked for
     */
    public function list(array $buckets, int $limit, ?string $asked): void
    {
        $letters = self::letters($buckets);
        // A stable sort: dead letters of the same moment keep their order in the log.
        usort($letters, static fn (array $a, array $b): int => $a[1]->diedAt <=> $b[1]->diedAt);
        $shown = array_slice($letters, -$limit);

        if ($this->isJson) {
            $this->json->print(['bucket' => $asked, 'letters' => count($letters), 'shown' => self::documents($shown)]);

            return;
        }

        foreach ($shown as [$bucket, $letter]) {
            $this->line(DeadLetterId::of($bucket, $letter->position)->toString().'  died '.self::time($letter->diedAt));
            $this->line('  '.TerminalText::line($letter->reason));
        }

        $this->line($letters === [] ? ($asked === null ? 'No' : "{$asked}: no").' dead letters.' : self::summary(
            count($letters),
            count($shown),
            $asked === null ? 'all' : "--bucket={$asked}",
        ));
    }

    private static function summary(int $count, int $shown, string $all): string
    {
        return TerminalText::count($count, 'dead letter').($shown < $count ? ", the newest {$shown} are shown" : '')
            .'. '
            ."`spool:failed:show ID` shows an event, and `spool:retry {$all}` puts all of them back into the buffer.";
    }

    /** @param list<BucketDeadLetters> $buckets */
    public function show(array $buckets): void
    {
        $documents = self::documents(self::letters($buckets));

        if ($this->isJson) {
            $this->json->print(['letters' => count($documents), 'shown' => $documents]);

            return;
        }

        array_map($this->json->print(...), $documents);
    }

    /** @param list<BucketDeadLetters> $buckets */
    public function export(array $buckets): void
    {
        array_map($this->json->printLine(...), self::documents(self::letters($buckets)));
    }

    /**
     * @param array<array-key, int> $counts by bucket
     * @param list<string> $missing ids that no dead letter has
     */
    public function retried(array $counts, array $missing): void
    {
        $this->done(
            'retry',
            $counts,
            $missing,
            static fn (string $bucket, int $count): string => "{$bucket}: ".TerminalText::count($count, 'event')
                .' back in the buffer. The next flush delivers '.($count === 1 ? 'it.' : 'them.'),
        );
    }

    /**
     * @param array<array-key, int> $counts by bucket
     * @param list<string> $missing ids that no dead letter has
     */
    public function forgotten(array $counts, array $missing): void
    {
        $this->done(
            'forget',
            $counts,
            $missing,
            static fn (string $bucket, int $count): string => "{$bucket}: ".TerminalText::count($count, 'dead letter')
                .' deleted.',
        );
    }

    /**
     * @param array<array-key, int> $counts
     * @param list<string> $missing
     * @param callable(string, int): string $words
     */
    private function done(string $action, array $counts, array $missing, callable $words): void
    {
        if ($this->isJson) {
            $this->json->print([
                'action' => $action,
                'letters' => array_sum($counts),
                'buckets' => array_map(
                    static fn (int|string $bucket, int $count): array
                        => ['bucket' => (string) $bucket, 'letters' => $count],
                    array_keys($counts),
                    $counts,
                ),
                'missing' => $missing,
            ]);

            return;
        }

        foreach ($counts as $bucket => $count) {
            $this->line($words((string) $bucket, $count));
        }

        if ($counts === [] && $missing === []) {
            $this->line('No dead letters.');
        }
    }

    /**
     * @param list<BucketDeadLetters> $buckets
     * @return list<array{string, DeadLetter}>
     */
    private static function letters(array $buckets): array
    {
        return array_merge(...array_map(static fn (BucketDeadLetters $bucket): array => array_map(
            static fn (DeadLetter $letter): array => [$bucket->bucket, $letter],
            $bucket->readable(),
        ), $buckets));
    }

    /**
     * @param list<array{string, DeadLetter}> $letters
     * @return list<array<string, mixed>>
     */
    private static function documents(array $letters): array
    {
        return array_map(static fn (array $letter): array => self::document(...$letter), $letters);
    }

    /** @return array<string, mixed> */
    private static function document(string $bucket, DeadLetter $letter): array
    {
        $line = json_decode($letter->line, true);

        return [
            'letter' => DeadLetterId::of($bucket, $letter->position)->toString(),
            'bucket' => $bucket,
            'position' => $letter->position->toString(),
            'id' => $letter->id,
            'accepted_at' => self::timestamp($letter->acceptedAt),
            'died_at' => self::timestamp($letter->diedAt),
            'sink' => $letter->sink,
            'reason' => $letter->reason,
            'event' => is_array($line) && array_is_list($line) ? ($line[1] ?? null) : ($line ?? $letter->line),
        ];
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d H:i:s', intdiv($micros, 1_000_000)).' UTC';
    }

    /** In the format of spool:peek. */
    private static function timestamp(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }

    private function line(string $text): void
    {
        $this->output->writeln($text, OutputInterface::OUTPUT_RAW);
    }
}
