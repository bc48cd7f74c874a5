<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Dead letters for people and for programs.
 *
 * @internal
 */
final readonly class DeadLetterFormatter
{
    private JsonOutput $answer;

    public function __construct(private OutputInterface $output, private bool $isJson)
    {
        $this->answer = new JsonOutput($output);
    }

    /** @param list<DeadLetter> $letters */
    public function list(string $bucket, array $letters, int $limit): void
    {
        $shown = array_slice($letters, -$limit);

        if ($this->isJson) {
            $this->answer->print(['bucket' => $bucket, 'letters' => count($letters), 'shown' => array_map(self::members(...), $shown)]);

            return;
        }

        if ($letters === []) {
            $this->output->writeln("{$bucket}: no dead letters.");

            return;
        }

        foreach ($shown as $letter) {
            $this->line($letter->position->toString().'  died '.self::time($letter->diedAt));
            $this->line('  '.TerminalText::line($letter->reason));
        }

        $this->line(TerminalText::count(count($letters), 'dead letter').(count($shown) < count($letters) ? ', the newest '.count($shown).' are shown' : '').". `spool:dead {$bucket} show PLACE` shows one, `retry --all` puts them into the log again.");
    }

    /** @param list<DeadLetter> $letters */
    public function show(string $bucket, array $letters): void
    {
        if ($this->isJson) {
            $this->answer->print(['bucket' => $bucket, 'letters' => count($letters), 'shown' => array_map(self::members(...), $letters)]);

            return;
        }

        foreach ($letters as $letter) {
            $this->answer->print(self::members($letter));
        }
    }

    /** @param list<DeadLetter> $letters */
    public function export(array $letters): void
    {
        foreach ($letters as $letter) {
            $this->answer->printLine(self::members($letter));
        }
    }

    public function done(string $bucket, string $action, int $count): void
    {
        if ($this->isJson) {
            $this->answer->print(['bucket' => $bucket, 'action' => $action, 'letters' => $count]);
        } else {
            $this->line($action === 'retry' ? "{$bucket}: ".TerminalText::count($count, 'event').' back in the log, for the next flush to deliver.' : "{$bucket}: ".TerminalText::count($count, 'letter').' forgotten.');
        }
    }

    /** @return array<string, mixed> */
    private static function members(DeadLetter $letter): array
    {
        $line = json_decode($letter->line, true);

        return [
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

    /** As spool:peek has it. */
    private static function timestamp(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }

    private function line(string $text): void
    {
        $this->output->writeln($text, OutputInterface::OUTPUT_RAW);
    }
}
