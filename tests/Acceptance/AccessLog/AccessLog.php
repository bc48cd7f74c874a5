<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\AccessLog;

use Random\Engine\Mt19937;
use Random\Randomizer;
use RuntimeException;

/**
 * Page views from an access log in the combined format: the real one among the fixtures, or, where these are not at
 * hand, one made up from a seed. Some lines get bytes put in that break naive code.
 */
final readonly class AccessLog
{
    private const PATTERN =
        '/\A(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (.*?)(?: HTTP\/[\d.]+)?" (\d{3}) (\d+|-) "(.*?)" "(.*?)"?\s*\z/';

    /** Latin-1, NUL, line breaks, four-byte characters, a frame's magic. */
    private const TROUBLE = [
        "caf\xE9 cr\xE8me", "nul\0inside", "line\nbreak\r\n", 'emoji 🚀𝄞', "magic \xF5HR\x01 magic",
        '\\x41\\101 "quoted" \\',
    ];

    private Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    /**
     * @param int<1, max> $most
     * @return list<array<string, string>> form fields
     */
    public function events(int $most): array
    {
        $events = [];

        foreach ($this->lines($most) as $number => $line) {
            $event = self::parse($line);
            $event['id'] = sprintf('line-%05d', $number);

            if ($this->random->getInt(1, 100) <= 5) {
                $field = ['path', 'referer', 'agent'][$this->random->getInt(0, 2)];
                $trouble = self::TROUBLE[$this->random->getInt(0, count(self::TROUBLE) - 1)];
                $at = $this->random->getInt(0, strlen($event[$field]));
                $event[$field] = substr($event[$field], 0, $at).$trouble.substr($event[$field], $at);
            }

            $events[] = $event;
        }

        return $events;
    }

    public static function isReal(): bool
    {
        return is_file(self::path());
    }

    /** @return list<string> every line of it */
    public static function real(): array
    {
        $lines = gzfile(self::path());

        return $lines === false ? throw new RuntimeException('Cannot read '.self::path()) : $lines;
    }

    public static function path(): string
    {
        $directory = getenv('HEADROOM_FIXTURES');

        return ($directory === false ? dirname(__DIR__, 4).'/shared' : $directory).'/data/apache-access.log.gz';
    }

    /** @return list<string> */
    private function lines(int $most): array
    {
        return array_slice(self::isReal() ? self::real() : $this->madeUp($most), 0, $most);
    }

    /** @return array<string, string> */
    private static function parse(string $line): array
    {
        if (preg_match(self::PATTERN, $line, $m) !== 1) {
            throw new RuntimeException("Not a line of an access log: {$line}");
        }

        return [
            'ip' => $m[1],
            'time' => gmdate('Y-m-d H:i:s', (int) strtotime($m[2])),
            'method' => $m[3],
            'path' => $m[4],
            'status' => $m[5],
            'bytes' => $m[6] === '-' ? '' : $m[6],
            'referer' => $m[7],
            'agent' => $m[8],
        ];
    }

    /** @return list<string> */
    private function madeUp(int $count): array
    {
        $lines = [];

        for ($i = 0; $i < $count; $i++) {
            $lines[] = sprintf(
                '%d.%d.%d.%d - - [17/May/2015:%02d:%02d:%02d +0000] "GET /%s HTTP/1.1" 200 %d "http://example.org/%s"'
                    .' "Mozilla/5.0 (%s)"',
                ...[
                    ...array_map(fn (): int => $this->random->getInt(1, 254), range(1, 4)),
                    $this->random->getInt(0, 23),
                    $this->random->getInt(0, 59),
                    $this->random->getInt(0, 59),
                    bin2hex($this->random->getBytes($this->random->getInt(2, 60))),
                    $this->random->getInt(0, 500_000),
                    bin2hex($this->random->getBytes(8)),
                    bin2hex($this->random->getBytes(40)),
                ],
            );
        }

        return $lines;
    }
}
