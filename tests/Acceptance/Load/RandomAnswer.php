<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Random\Randomizer;

/**
 * A random response of a server, whole or damaged.
 */
final readonly class RandomAnswer
{
    private const NOISE = [
        'Server: x',
        'X-Empty:',
        'Set-Cookie: a=b; Path=/',
        'Date: Sun, 06 Nov 1994 08:49:37 GMT',
        'X-Long: content-length: 7, chunked, close',
    ];

    /** @param non-empty-string $method */
    private function __construct(
        public string $method,
        public string $bytes,
        public bool $closes,
        public bool $isValid,
    ) {}

    /** These bytes, and then the end of the connection. */
    public static function of(string $bytes): self
    {
        return new self('GET', $bytes, true, false);
    }

    public static function valid(Randomizer $random): self
    {
        $method = $random->getInt(0, 9) === 0 ? 'HEAD' : 'GET';
        $status = self::one($random, ['200', '200', '200', '201', '204', '205', '301', '304', '404', '500', '599']);
        $isOld = $random->getInt(0, 9) === 0;
        $hasBody = $method === 'GET' && $status !== '204' && $status !== '304';
        $framing = self::one($random, $isOld ? ['length', 'close'] : ['length', 'length', 'chunks', 'chunks', 'close']);
        $body = substr(base64_encode($random->getBytes(3_000)), 0, self::one($random, [0, 1, 2, 10, 1_000, 4_000]));
        $lines = $random->shuffleArray([
            ...array_slice($random->shuffleArray(self::NOISE), 0, $random->getInt(0, 4)),
            ...($framing === 'length'
                ? [self::one($random, ['Content-Length: ', 'content-length:', "CONTENT-LENGTH:\t"]).strlen($body)]
                : []),
            ...($framing === 'chunks' && ! in_array($status, ['204', '304'], true)
                ? [self::one($random, ['Transfer-Encoding: chunked', 'transfer-encoding:Chunked '])]
                : []),
            ...self::one(
                $random,
                [[], [], ['Connection: keep-alive'], ['Connection: close'], ['connection: Close, x']],
            ),
        ]);
        $head = 'HTTP/1.'.($isOld ? '0' : '1')." {$status}".self::one($random, [' OK', ' ', ' Some Words', ''])."\r\n"
            .implode('', array_map(static fn (string $line): string => "{$line}\r\n", $lines));
        $interim = $isOld
            ? ''
            : self::one($random, [
                '',
                '',
                '',
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
            ]);
        $end = self::one($random, ["\r\n", "\r\n", "\n"]);
        $sent = $framing === 'chunks' ? self::chunks($random, $body, $end) : $body;

        return new self(
            $method,
            str_replace("\r\n", $end, "{$interim}{$head}\r\n").($hasBody ? $sent : ''),
            $framing === 'close' || $random->getInt(0, 1) === 0,
            true,
        );
    }

    public function mutated(Randomizer $random): self
    {
        $bytes = $this->bytes;

        for ($times = $random->getInt(1, 2); $times > 0; $times--) {
            $at = $random->getInt(0, max(0, min(strlen($bytes), self::one($random, [50, 300, 5_000])) - 1));
            $before = substr($bytes, 0, $at);
            $behind = substr($bytes, $at);
            $line = self::one($random, [
                "Content-Length: 7\r\n", "Content-Length: 7, 7\r\n", "Transfer-Encoding: chunked\r\n",
                "Transfer-Encoding: identity\r\n", "Connection: close\r\n", "nonsense\r\n", "\r\n",
            ]);
            $bytes = match ($random->getInt(0, 7)) {
                0, 1 => $before,
                2 => $before.$random->getBytes(1).substr($behind, 1),
                3 => $before.self::one($random, ["\r", "\n", ' ', '0', ';', ':']).$behind,
                4 => $before.substr($behind, 1),
                5 => $before.substr($behind, 0, 40).$behind,
                6 => preg_replace('/\n/', "\n{$line}", $bytes, 1) ?? '',
                default => $bytes.$line,
            };
        }

        return new self($this->method, $bytes, true, false);
    }

    private static function chunks(Randomizer $random, string $body, string $end): string
    {
        $text = '';

        foreach ($body === '' ? [] : str_split($body, max(1, $random->getInt(1, strlen($body)))) as $piece) {
            $text .= self::one($random, [
                dechex(strlen($piece)),
                strtoupper(dechex(strlen($piece))),
                '0'.dechex(strlen($piece)),
                dechex(strlen($piece)).';a="b"',
            ])
                .$end.$piece.$end;
        }

        return $text.self::one($random, ["0{$end}", "00{$end}", "0;x{$end}Trailer: y{$end}"]).$end;
    }

    /**
     * @template T
     *
     * @param non-empty-list<T> $of
     * @return T
     */
    private static function one(Randomizer $random, array $of): mixed
    {
        return $of[$random->getInt(0, count($of) - 1)];
    }
}
