<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Spool\Letter;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Dead letters for people and for programs.
 *
 * @internal
 */
final readonly class LetterLines
{
    private const FLAGS = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE;

    public function __construct(private OutputInterface $output, private bool $isJson) {}

    /** @param list<Letter> $letters */
    public function list(string $bucket, array $letters, int $limit): void
    {
        $shown = array_slice($letters, -$limit);

        if ($this->isJson) {
            $this->raw(['bucket' => $bucket, 'letters' => count($letters), 'shown' => array_map(self::members(...), $shown)], JSON_PRETTY_PRINT);

            return;
        }

        if ($letters === []) {
            $this->output->writeln("{$bucket}: no dead letters.");

            return;
        }

        foreach ($shown as $letter) {
            $this->line($letter->position->toString().'  died '.self::time($letter->diedAt));
            $this->line('  '.self::safe($letter->reason));
        }

        $this->line(count($letters).' dead letters'.(count($shown) < count($letters) ? ', the newest '.count($shown).' are shown' : '').". `spool:dead {$bucket} show PLACE` shows one, `retry --all` puts them into the log again.");
    }

    /** @param list<Letter> $letters */
    public function show(array $letters): void
    {
        foreach ($letters as $letter) {
            $this->raw(self::members($letter), JSON_PRETTY_PRINT);
        }
    }

    /** @param list<Letter> $letters */
    public function export(array $letters): void
    {
        foreach ($letters as $letter) {
            $this->raw(self::members($letter));
        }
    }

    public function done(string $bucket, string $action, int $count): void
    {
        if ($this->isJson) {
            $this->raw(['bucket' => $bucket, 'action' => $action, 'letters' => $count]);
        } else {
            $this->line($action === 'retry' ? "{$bucket}: {$count} events are in the log again; the next flush delivers them." : "{$bucket}: {$count} letters are forgotten.");
        }
    }

    /** @return array<string, mixed> */
    private static function members(Letter $letter): array
    {
        $line = json_decode($letter->line, true);

        return [
            'position' => $letter->position->toString(),
            'id' => $letter->id,
            'accepted_at' => self::time($letter->acceptedAt),
            'died_at' => self::time($letter->diedAt),
            'sink' => $letter->sink,
            'reason' => $letter->reason,
            'event' => is_array($line) && array_is_list($line) ? ($line[1] ?? null) : ($line ?? $letter->line),
        ];
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d H:i:s', intdiv($micros, 1_000_000)).' UTC';
    }

    /** What a server said may hold anything, and a terminal obeys some of it. */
    private static function safe(string $text): string
    {
        return (string) preg_replace_callback('/[\x00-\x1F\x7F]/', static fn (array $match): string => sprintf('\\x%02X', ord($match[0])), mb_scrub($text, 'UTF-8'));
    }

    private function line(string $text): void
    {
        $this->output->writeln($text, OutputInterface::OUTPUT_RAW);
    }

    /** @param array<string, mixed> $members */
    private function raw(array $members, int $flags = 0): void
    {
        $this->output->writeln(json_encode($members, self::FLAGS | $flags), OutputInterface::OUTPUT_RAW);
    }
}
