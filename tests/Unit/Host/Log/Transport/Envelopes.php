<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log\Transport;

use Closure;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Logs as they are handed on, made of lines of some programs: each tool's prefix around each line.
 */
final readonly class Envelopes
{
    /** When each line came. */
    public const TIME = '2026-03-02 10:15:05';

    private const ISO = '2026-03-02T10:15:05';

    private const ESCAPED = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_INVALID_UTF8_SUBSTITUTE;

    private Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    /**
     * @param list<array{string, string}> $lines program and what it wrote, in the order of time
     * @return array<string, string> whole files by the tool that hands them out
     */
    public function around(array $lines): array
    {
        $tools = $this->tools();

        // This one does not tell programs apart.
        if (count(array_unique(array_column($lines, 0))) === 1) {
            $tools['docker, with times'] = static fn (string $program, string $text): string => self::ISO.".178123456Z {$text}\n";
        }

        return array_map(static fn (Closure $around): string => implode('', array_map(
            static fn (array $line): string => $around(...$line),
            $lines,
        )), $tools);
    }

    /** @return array<string, Closure(string, string): string> */
    private function tools(): array
    {
        $iso = self::ISO;
        $micros = fn (): string => sprintf('%06d', $this->random->getInt(0, 999_999));
        $pid = static fn (string $program): int => 100 + crc32($program) % 900;
        $service = static fn (string $program): string => str_pad("{$program}-1", 12);
        $line = static fn (string $prefix): Closure => static fn (string $program, string $text): string => strtr($prefix, ['%p' => $program, '%d' => (string) $pid($program)])."{$text}\n";

        return [
            'compose' => static fn (string $program, string $text): string => "{$service($program)} | {$text}\n",
            'compose, trimmed' => static fn (string $program, string $text): string => rtrim("{$service($program)} | {$text}")."\n",
            'compose, coloured' => static fn (string $program, string $text): string => "\e[36m{$service($program)} | \e[0m{$text}\n",
            'compose 1, coloured' => static fn (string $program, string $text): string => "\e[33;1m{$program}_1  |\e[0m {$text}\n",
            'compose, with times' => fn (string $program, string $text): string => "{$service($program)} | {$iso}.{$micros()}789Z {$text}\n",
            'compose, coloured, with times' => fn (string $program, string $text): string => "\e[32m{$service($program)} | \e[0m{$iso}.{$micros()}Z {$text}\n",
            'json-file' => fn (string $program, string $text): string => $this->jsonFile($program, $text),
            'json-file, with attributes' => static fn (string $program, string $text): string => json_encode(['log' => "{$text}\n", 'stream' => $program, 'attrs' => ['tag' => 'x'], 'time' => "{$iso}.1Z"], self::ESCAPED)."\n",
            'CRI' => fn (string $program, string $text): string => $this->cri($program, $text),
            'kubectl, with prefixes' => $line('[pod/%p-5d9c7b-x2x/%p] '),
            'kubectl, with prefixes and times' => $line("[pod/%p-5d9c7b-x2x/%p] {$iso}.178123456Z "),
            'journal, short' => $line('Mar 02 10:15:05 web1 %p[%d]: '),
            'journal, short of one digit' => $line('Mar  2 10:15:05 web1 %p[%d]: '),
            'journal, short-precise' => fn (string $program, string $text): string => "Mar 02 10:15:05.{$micros()} web1 {$program}[{$pid($program)}]: {$text}\n",
            'journal, short-iso' => $line("{$iso}+0100 web1 %p[%d]: "),
            'journal, short-iso-precise' => $line("{$iso}.178123+01:00 web1 %p[%d]: "),
            'journal, short-full' => $line('Mon 2026-03-02 10:15:05 CET web1 %p[%d]: '),
            'journal, short-unix' => $line('1772446505.178123 web1 %p[%d]: '),
            'journal, short of another language' => $line('Mär 02 10:15:05 web1 %p[%d]: '),
            'journal, short-monotonic' => $line('[ 1234.567890] web1 %p[%d]: '),
            'journal, with-unit' => $line('Mon 2026-03-02 10:15:05 CET web1 %p.service[%d]: '),
            'journal, json' => static fn (string $program, string $text): string => self::journal($program, $text),
            'syslog, RFC 3164' => $line('<131>Mar  2 10:15:05 web1 %p[%d]: '),
            'syslog, RFC 3164 without a pid' => $line('Mar  2 10:15:05 web1 %p: '),
            'syslog, RFC 5424' => $line("<34>1 {$iso}.003Z web1 %p %d ID47 - "),
            'syslog, RFC 5424 with data' => $line("<34>1 {$iso}.003Z web1 %p - - [x@1 a=\"b\\]c\" d=\"\\\"\"][y@2] \xEF\xBB\xBF"),
            'a stack of containers' => $line('web.%p.x2x9c7b@node1    | '),
            'a router of dynos' => $line("{$iso}.178123+00:00 app[web.%d]: "),
            'a runner of processes' => $line('10:15:05 %p.1 | '),
            'a runner of scripts' => $line('[%p] '),
            'grep' => $line('/var/log/%p.log:'),
            'grep, with numbers' => $line('/var/log/%p.log:12:'),
            'a tail of pods' => $line('web-5d9c7b-x2x %p '),
            'a tail of pods, with times' => $line("web-5d9c7b-x2x %p {$iso}.178123456Z "),
            'another shipper' => static fn (string $program, string $text): string => json_encode(['insertId' => "a {$program}", 'ts' => 1772446505.178, 'container_name' => $program, 'textPayload' => $text], self::ESCAPED)."\n",
            'a shipper' => static fn (string $program, string $text): string => json_encode(['@timestamp' => "{$iso}.1Z", 'container_name' => $program, 'message' => $text], self::ESCAPED)."\n",
        ];
    }

    /** @return array<string, true> those that do not tell when */
    public static function withoutTime(): array
    {
        return array_fill_keys(['compose', 'compose, trimmed', 'compose, coloured', 'compose 1, coloured', 'journal, short of another language', 'journal, short-monotonic', 'kubectl, with prefixes', 'a stack of containers', 'a runner of processes', 'a runner of scripts', 'grep', 'grep, with numbers', 'a tail of pods'], true);
    }

    /** Docker cuts a line at 16 KiB; here anywhere, but not within a character. */
    private function jsonFile(string $program, string $text): string
    {
        $all = '';

        foreach ($this->pieces($text) as [$piece, $isLast]) {
            $all .= json_encode(['log' => $isLast ? "{$piece}\n" : $piece, 'stream' => $program, 'time' => self::ISO.'.178Z'], self::ESCAPED)."\n";
        }

        return $all;
    }

    private function cri(string $program, string $text): string
    {
        $stream = $program === 'nginx' ? 'stderr' : 'stdout';

        return implode('', array_map(
            static fn (array $piece): string => self::ISO.".178123456Z {$stream} ".($piece[1] ? 'F' : 'P')." {$piece[0]}\n",
            $this->pieces($text),
        ));
    }

    /** @return list<array{string, bool}> and whether it is the last one */
    private function pieces(string $text): array
    {
        $pieces = [];

        while (strlen($text) > 1 && $this->random->getInt(0, 3) === 0) {
            $at = $this->random->getInt(1, strlen($text) - 1);
            $pieces[] = [substr($text, 0, $at), false];
            $text = substr($text, $at);
        }

        return [...$pieces, [$text, true]];
    }

    /** The journal gives out what is not UTF-8, or has control characters, as bytes. */
    private static function journal(string $program, string $text): string
    {
        $isText = mb_check_encoding($text, 'UTF-8') && preg_match('/[\x00-\x1F]/', $text) === 0;

        return json_encode([
            '__REALTIME_TIMESTAMP' => '1772446505178123', '_HOSTNAME' => 'web1', '_PID' => '812', 'PRIORITY' => '6',
            'SYSLOG_IDENTIFIER' => $program, 'MESSAGE' => $isText ? $text : array_map(ord(...), str_split($text)),
        ], self::ESCAPED)."\n";
    }
}
