<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Tests\Support\Sample;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Streams made of good ones by a few random changes; the same seed makes the same stream.
 */
final readonly class Fuzz
{
    private const WORDS = [
        "\r", "\n", "\r\n", "\r\n\r\n", "\n\n", "\n\r\n", "\0", "\t", ' ', ':', ',', ';', '"', '\\', '/', '?', '#',
        '*', '0', '1', 'a', "\x7F", "\x80", "\xFF",
        'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'chunked', 'gzip, ', 'close', 'keep-alive', '100-continue', 'Host: b',
        "Content-Length: 5\r\n", "Content-Length: 0\r\n",
        "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Connection: keep-alive\r\n",
        "Expect: 100-continue\r\n", "1\r\nx\r\n", "0\r\n\r\n", 'ffffffffffffffff',
        '99999999999999999999', "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 'http://a', '[::1]', '%', ' HTTP/1.1', ': ',
        'x: y',
    ];

    private Randomizer $random;

    public function __construct(private int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    public static function firstSeed(): int
    {
        return self::setting('HEADROOM_FUZZ_SEED', Sample::isWhole() ? 1 : Sample::seed());
    }

    public static function cases(int $usual): int
    {
        return self::setting('HEADROOM_FUZZ_CASES', $usual);
    }

    private static function setting(string $name, int $usual): int
    {
        $value = getenv($name);

        return $value === false ? $usual : max(1, (int) $value);
    }

    /** @param list<string> $good */
    public function stream(array $good): string
    {
        $stream = $this->one($good);

        for ($n = $this->random->getInt(0, 4); $n > 0; $n--) {
            $stream = $this->changed($stream, $good);
        }

        return substr($stream, 0, 3_000);
    }

    /** @return list<string> */
    public function pieces(string $stream): array
    {
        $pieces = [];

        while ($stream !== '') {
            $length = $this->random->getInt(1, $this->random->getInt(1, 60));
            $pieces[] = substr($stream, 0, $length);
            $stream = substr($stream, $length);
        }

        return $pieces;
    }

    /** @param list<string> $good */
    public function one(array $good): string
    {
        return $good[$this->random->getInt(0, count($good) - 1)];
    }

    public function shown(string $stream): string
    {
        return "seed {$this->seed} (HEADROOM_FUZZ_SEED={$this->seed} HEADROOM_FUZZ_CASES=1): "
            .json_encode($stream, JSON_INVALID_UTF8_SUBSTITUTE).' base64 '.base64_encode($stream);
    }

    /** @param list<string> $good */
    private function changed(string $stream, array $good): string
    {
        $at = $this->random->getInt(0, strlen($stream));
        $length = min($this->random->getInt(0, 12), strlen($stream) - $at);
        $lines = explode("\r\n", $stream);
        $line = $this->random->getInt(0, count($lines) - 1);

        return match ($this->random->getInt(0, 9)) {
            0 => substr_replace($stream, chr($this->random->getInt(0, 255)), $at, min(1, $length)),
            1, 2 => substr_replace($stream, self::WORDS[$this->random->getInt(0, count(self::WORDS) - 1)], $at, 0),
            3 => substr_replace($stream, self::WORDS[$this->random->getInt(0, count(self::WORDS) - 1)], $at, $length),
            4 => substr_replace($stream, '', $at, $length),
            5 => substr_replace(
                $stream,
                str_repeat(substr($stream, $at, $length), $this->random->getInt(2, 40)),
                $at,
                $length,
            ),
            6 => implode("\r\n", [...array_slice($lines, 0, $line), $lines[$line], ...array_slice($lines, $line)]),
            7 => implode("\r\n", [...array_slice($lines, 0, $line), ...array_slice($lines, $line + 1)]),
            8 => substr($stream, 0, $at).$this->one($good),
            default => $stream.$this->one($good),
        };
    }
}
