<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * A chunked body with extensions, leading zeros and trailers; the same seed makes the same body.
 */
final readonly class RandomChunks
{
    private const EXTENSIONS = ['', '', '', ';a', ';a=b', ' ; a = "b;c\\"d"', ';a=b;c', "\t;x"];

    private const TRAILERS = ['', '', "X: y\r\n", "Digest: \r\nContent-Length: 7\r\n", "a:\tb\r\na: \xC3\xA9\r\n"];

    private const BREAKS = ["\r", "\n", "\r\n", "\n\n", '0', 'f', 'g', ';', ' ', '"', "\0", '-', "0\r\n\r\n", "\r\r\n"];

    public Randomizer $random;

    public string $bytes;

    public string $data;

    public function __construct(int $seed)
    {
        $this->random = new Randomizer(new Mt19937($seed));
        $bytes = $data = '';

        for ($count = $this->random->getInt(0, 5); $count > 0; $count--) {
            $chunk = str_repeat($this->one(["\r\n", "0\r\n\r\n", 'a', "\n", "\0"]), $this->random->getInt(1, 40));
            $bytes .= $this->size(strlen($chunk))."\r\n{$chunk}\r\n";
            $data .= $chunk;
        }

        $this->bytes = "{$bytes}{$this->size(0)}\r\n{$this->one(self::TRAILERS)}\r\n";
        $this->data = $data;
    }

    /** With one change: a byte lost, doubled or added, a line end cut. */
    public function broken(): string
    {
        $at = $this->random->getInt(0, strlen($this->bytes) - 1);

        return match ($this->random->getInt(0, 3)) {
            0 => substr_replace($this->bytes, '', $at, 1),
            1 => substr_replace($this->bytes, $this->one(self::BREAKS), $at, 0),
            2 => substr_replace($this->bytes, $this->one(self::BREAKS), $at, 1),
            default => str_replace("\r\n", $this->one(["\n", "\r", '']), $this->bytes),
        };
    }

    private function size(int $bytes): string
    {
        $hex = str_repeat('0', $this->random->getInt(0, 3)).dechex($bytes);

        return ($this->random->getInt(0, 1) === 0 ? $hex : strtoupper($hex)).$this->one(self::EXTENSIONS);
    }

    /** @param non-empty-list<string> $of */
    private function one(array $of): string
    {
        return $of[$this->random->getInt(0, count($of) - 1)];
    }
}
