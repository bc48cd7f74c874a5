<?php

declare(strict_types=1);

namespace Headroom\Load\Http;

/**
 * Reads the answer to one request from its bytes as they come, and keeps no more of it than its head. It takes what other
 * clients take: what a server gets wrong beside the answer's length is the server's affair.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6
 *
 * @internal
 */
final class AnswerReader
{
    private const LINE_BYTES = 102_400;

    private const HEAD_BYTES = 307_200;

    private const UNTIL_CLOSE = -1;

    private const STATUS_LINE = '/\AHTTP\/1\.(\d) ([1-9]\d\d)(?: |\r?\n)/';

    /** Those that say where the answer ends, and what becomes of the connection. */
    private const FRAMING = '/^(content-length|transfer-encoding|connection)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?$/mi';

    private Exchange $exchange;

    /** A head that is not whole yet. */
    private string $buffer = '';

    private int $headBytes = 0;

    private bool $hasHead = false;

    /** Bytes of the body that are still to come. */
    private int $left = 0;

    private ?Chunks $chunks = null;

    private bool $keeps = false;

    public function begin(Exchange $exchange): void
    {
        $this->exchange = $exchange;
        $this->buffer = '';
        $this->headBytes = 0;
        $this->hasHead = false;
        $this->left = 0;
        $this->chunks = null;
        $this->keeps = false;
    }

    /** Whether the connection can carry another request, once the answer is whole. */
    public function keepsConnection(): bool
    {
        return $this->keeps;
    }

    /**
     * @return bool whether the answer is whole
     *
     * @throws UnableToExchange
     */
    public function read(string $data): bool
    {
        $at = 0;

        if (! $this->hasHead) {
            $before = strlen($this->buffer);
            $data = $before === 0 ? $data : $this->buffer.$data;
            $this->buffer = '';
            $at = $this->head($data, max(0, $before - 3));

            if ($at === null) {
                $this->buffer = $data;

                return false;
            }
        }

        return $this->chunks === null ? $this->body($data, $at) : $this->chunked($this->chunks, $data, $at);
    }

    /**
     * The server has closed the connection, which ends a body of no told length.
     *
     * @throws UnableToExchange
     */
    public function end(): void
    {
        if ($this->left === self::UNTIL_CLOSE && $this->chunks === null) {
            return;
        }

        throw match (true) {
            $this->hasHead => UnableToExchange::cutShort($this->exchange->bytes),
            $this->exchange->firstByte !== 0 => UnableToExchange::cutInHead(),
            default => UnableToExchange::closedUnanswered(),
        };
    }

    /**
     * Interim answers are passed over.
     *
     * @param int $searched bytes in which no head ends
     * @return ?int where the body begins; null when the head is not whole
     */
    private function head(string &$data, int $searched): ?int
    {
        while (($end = self::blankLine($data, $searched)) !== null) {
            $head = substr($data, 0, $end);
            $this->headBytes += $end;
            $this->demandLength($head, $this->headBytes);
            $this->take($head);

            if ($this->hasHead) {
                return $end;
            }

            $data = substr($data, $end);
            $searched = 0;
        }

        if (strncmp($data, 'HTTP/', min(5, strlen($data))) !== 0) {
            throw UnableToExchange::notHttp('an answer that does not begin with HTTP/', $data);
        }

        $this->demandLength($data, $this->headBytes + strlen($data));

        return null;
    }

    /** @return ?int what is behind the first empty line; some servers end their lines without a carriage return */
    private static function blankLine(string $data, int $from): ?int
    {
        $end = strpos($data, "\n\r\n", $from);
        $bare = strpos($end === false ? $data : substr($data, 0, $end + 1), "\n\n", $from);

        return match (true) {
            $bare !== false => $bare + 2,
            $end !== false => $end + 3,
            default => null,
        };
    }

    private function take(string $head): void
    {
        if (preg_match(self::STATUS_LINE, $head, $found) !== 1) {
            throw UnableToExchange::notHttp('an answer that does not begin with a status line of HTTP/1', $head);
        }

        $status = (int) $found[2];

        // Upgraded though nobody asked for it: nothing that follows is an answer.
        if ($status < 200 && $status !== 101) {
            return;
        }

        $this->hasHead = true;
        $this->exchange->status = $status;
        $this->exchange->head = $head;
        preg_match_all(self::FRAMING, $head, $fields, PREG_SET_ORDER);
        $length = null;
        $coding = '';
        $connection = '';

        foreach ($fields as [, $name, $value]) {
            match (strlen($name)) {
                14 => $length = self::length($value, $length),
                17 => $coding .= ",{$value}",
                default => $connection .= ",{$value}",
            };
        }

        $this->keeps = self::keeps($connection, $found[1] === '0') && ! $this->exchange->isLast && $status !== 101;
        $this->frame($status, $coding, $length);
    }

    private function frame(int $status, string $coding, ?int $length): void
    {
        if ($this->exchange->isHead || $status === 204 || $status === 304 || $status === 101) {
            $this->left = 0;
        } elseif ($coding !== '') {
            $isChunked = preg_match('/,[ \t]*chunked\z/i', $coding) === 1;
            $this->chunks = $isChunked ? new Chunks($this->exchange) : null;
            $this->left = self::UNTIL_CLOSE;
            $this->keeps = $this->keeps && $isChunked && $length === null;
        } else {
            $this->left = $length ?? self::UNTIL_CLOSE;
            $this->keeps = $this->keeps && $length !== null;
        }
    }

    private function body(string $data, int $at): bool
    {
        $there = strlen($data) - $at;

        if ($this->left === self::UNTIL_CLOSE) {
            $this->exchange->take($data, $at, $there);

            return false;
        }

        if ($there > $this->left) {
            // Nobody asked for what follows.
            $this->keeps = false;
            $there = $this->left;
        }

        $this->exchange->take($data, $at, $there);
        $this->left -= $there;

        return $this->left === 0;
    }

    private function chunked(Chunks $chunks, string $data, int $at): bool
    {
        $end = $chunks->read($data, $at);

        if ($end !== null && $end < strlen($data)) {
            $this->keeps = false;
        }

        return $end !== null;
    }

    private static function length(string $value, ?int $before): int
    {
        // Some send it twice, or have a proxy that puts both into one.
        $values = array_unique(array_map(trim(...), explode(',', $value)));
        $length = $values[0];

        if (count($values) > 1 || preg_match('/\A0*\d{1,18}\z/', $length) !== 1 || ($before !== null && $before !== (int) $length)) {
            throw UnableToExchange::notHttp('an answer whose length is not told in one number', $value);
        }

        return (int) $length;
    }

    private static function keeps(string $connection, bool $isOld): bool
    {
        return $connection === '' ? ! $isOld : preg_match('/,[ \t]*close[ \t]*(?:,|\z)/i', $connection) !== 1
            && (! $isOld || preg_match('/,[ \t]*keep-alive[ \t]*(?:,|\z)/i', $connection) === 1);
    }

    private function demandLength(string $head, int $whole): void
    {
        if ($whole > self::HEAD_BYTES || (strlen($head) > self::LINE_BYTES && self::longestLine($head) > self::LINE_BYTES)) {
            throw UnableToExchange::headerTooLong(self::LINE_BYTES, self::HEAD_BYTES);
        }
    }

    private static function longestLine(string $head): int
    {
        return max(array_map(strlen(...), explode("\n", $head)));
    }
}
