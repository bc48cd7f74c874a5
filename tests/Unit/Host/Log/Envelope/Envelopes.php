<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host\Log\Envelope;

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

    /** %p is the program, %s the same as Compose pads it, %d its pid, %u millionths of a second. */
    private const PREFIXES = [
        'compose' => '%s | ',
        'compose, coloured' => "\e[36m%s | \e[0m",
        'compose 1, coloured' => "\e[33;1m%p_1  |\e[0m ",
        'compose, with times' => '%s | '.self::ISO.'.%u789Z ',
        'compose, coloured, with times' => "\e[32m%s | \e[0m".self::ISO.'.%uZ ',
        'kubectl, with prefixes' => '[pod/%p-5d9c7b-x2x/%p] ',
        'kubectl, with prefixes and times' => '[pod/%p-5d9c7b-x2x/%p] '.self::ISO.'.%u456Z ',
        'journal, short' => 'Mar 02 10:15:05 web1 %p[%d]: ',
        'journal, short of one digit' => 'Mar  2 10:15:05 web1 %p[%d]: ',
        'journal, short-precise' => 'Mar 02 10:15:05.%u web1 %p[%d]: ',
        'journal, short-iso' => self::ISO.'+0100 web1 %p[%d]: ',
        'journal, short-iso-precise' => self::ISO.'.%u+01:00 web1 %p[%d]: ',
        'journal, short-full' => 'Mon 2026-03-02 10:15:05 CET web1 %p[%d]: ',
        'journal, short-unix' => '1772446505.%u web1 %p[%d]: ',
        'journal, short of another language' => 'Mär 02 10:15:05 web1 %p[%d]: ',
        'journal, short-monotonic' => '[ 1234.%u] web1 %p[%d]: ',
        'journal, with-unit' => 'Mon 2026-03-02 10:15:05 CET web1 %p.service[%d]: ',
        'syslog, RFC 3164' => '<131>Mar  2 10:15:05 web1 %p[%d]: ',
        'syslog, RFC 3164 without a pid' => 'Mar  2 10:15:05 web1 %p: ',
        'syslog, RFC 3164 without a host' => '<131>Mar  2 10:15:05 %p[%d]: ',
        'syslog, RFC 5424' => '<34>1 '.self::ISO.'.003Z web1 %p %d ID47 - ',
        'syslog, RFC 5424 with data' => '<34>1 '.self::ISO.'.003Z web1 %p - - [x@1 a="b\]c" d="\""][y@2] '
            ."\xEF\xBB\xBF",
        'a stack of containers' => 'web.%p.x2x9c7b@node1    | ',
        'a router of dynos' => self::ISO.'.%u+00:00 app[web.%d]: ',
        'a runner of processes' => '10:15:05 %p.1 | ',
        'a runner of scripts' => '[%p] ',
        'grep' => '/var/log/%p.log:',
        'grep, with numbers' => '/var/log/%p.log:12:',
        'a tail of pods' => 'web-5d9c7b-x2x %p ',
        'a tail of pods, with times' => 'web-5d9c7b-x2x %p '.self::ISO.'.%u456Z ',
    ];

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
            $tools['docker, with times'] = static fn (string $program, string $text): string => self::ISO
                .".178123456Z {$text}\n";
        }

        return array_map(static fn (Closure $around): string => implode('', array_map(
            static fn (array $line): string => $around(...$line),
            $lines,
        )), $tools);
    }

    /** @return array<string, Closure(string, string): string> */
    private function tools(): array
    {
        $prefixes = array_map(
            fn (string $prefix): Closure => fn (string $program, string $text): string => strtr($prefix, [
                '%s' => str_pad("{$program}-1", 12),
                '%p' => $program,
                '%d' => (string) (100 + crc32($program) % 900),
                '%u' => sprintf('%06d', $this->random->getInt(0, 999_999)),
            ])."{$text}\n",
            self::PREFIXES,
        );

        return [
            ...$prefixes,
            'compose, trimmed' => static fn (string $program, string $text): string => rtrim("{$program} | {$text}")
                ."\n",
            'json-file' => fn (string $program, string $text): string => $this->jsonFile($program, $text),
            'json-file, with attributes' => self::json(static fn (string $program, string $text): array => [
                'log' => "{$text}\n", 'stream' => $program, 'attrs' => ['tag' => 'x'], 'time' => self::ISO.'.1Z',
            ]),
            'CRI' => fn (string $program, string $text): string => $this->cri($program, $text),
            'journal, json' => static fn (string $program, string $text): string => self::journal($program, $text),
            'a shipper' => self::json(static fn (string $program, string $text): array => [
                '@timestamp' => self::ISO.'.1Z', 'container_name' => $program, 'message' => $text,
            ]),
            'another shipper' => self::json(static fn (string $program, string $text): array => [
                'insertId' => "a {$program}",
                'ts' => 1772446505.178,
                'container_name' => $program,
                'textPayload' => $text,
            ]),
        ];
    }

    /**
     * @param Closure(string, string): array<string, mixed> $object
     * @return Closure(string, string): string
     */
    private static function json(Closure $object): Closure
    {
        return static fn (string $program, string $text): string
            => json_encode($object($program, $text), self::ESCAPED)."\n";
    }

    /** @return array<string, true> those that do not tell when */
    public static function withoutTime(): array
    {
        return array_fill_keys(
            [
                'compose',
                'compose, trimmed',
                'compose, coloured',
                'compose 1, coloured',
                'journal, short of another language',
                'journal, short-monotonic',
                'kubectl, with prefixes',
                'a stack of containers',
                'a runner of processes',
                'a runner of scripts',
                'grep',
                'grep, with numbers',
                'a tail of pods',
            ],
            true,
        );
    }

    /** Docker cuts a line at 16 KiB; here anywhere, but not within a character. */
    private function jsonFile(string $program, string $text): string
    {
        $all = '';

        foreach ($this->pieces($text) as [$piece, $isLast]) {
            $all .= json_encode(
                ['log' => $isLast ? "{$piece}\n" : $piece, 'stream' => $program, 'time' => self::ISO.'.178Z'],
                self::ESCAPED,
            )."\n";
        }

        return $all;
    }

    private function cri(string $program, string $text): string
    {
        $stream = $program === 'nginx' ? 'stderr' : 'stdout';

        return implode('', array_map(
            static fn (array $piece): string => self::ISO.".178123456Z {$stream} "
                .($piece[1] ? 'F' : 'P')." {$piece[0]}\n",
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
