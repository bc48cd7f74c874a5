<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * A worker's end of the line to its supervisor. When it ends, the supervisor is gone, however it went.
 *
 * @internal
 */
final class Leash
{
    private string $unread = '';

    /** @param resource $stream */
    private function __construct(public readonly mixed $stream) {}

    /** @throws UnableToServe */
    public static function grasp(): self
    {
        $stream = @fopen('php://fd/'.Child::LINE, 'r+');

        if ($stream === false || ! str_contains(stream_get_meta_data($stream)['stream_type'], 'socket')) {
            throw UnableToServe::notIntroduced();
        }

        return new self($stream);
    }

    /**
     * What the supervisor tells first.
     *
     * @return array<array-key, mixed>
     *
     * @throws UnableToServe
     */
    public function introduction(): array
    {
        stream_set_timeout($this->stream, 10);
        $line = fgets($this->stream);
        stream_set_blocking($this->stream, false);
        stream_set_read_buffer($this->stream, 0);
        $told = $line === false ? null : json_decode($line, true, 16);

        return is_array($told) ? $told : throw UnableToServe::notIntroduced();
    }

    public function say(string $line): void
    {
        @fwrite($this->stream, "{$line}\n");
    }

    /** @return ?list<string> null: there is nobody at the other end any more */
    public function hear(): ?array
    {
        $read = @fread($this->stream, 8192);

        if (($read === false || $read === '') && feof($this->stream)) {
            return null;
        }

        $lines = explode("\n", $this->unread.$read);
        $this->unread = array_pop($lines);

        return $lines;
    }
}
