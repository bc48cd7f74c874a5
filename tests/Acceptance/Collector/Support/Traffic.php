<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use Closure;

/**
 * Clients that post one event after the other and write down what was acknowledged. Some keep their connection for as
 * long as they are let, some open one for each event. Nothing is tried twice: a request without an answer is a failure.
 */
final class Traffic
{
    private const HEAD = '/\AHTTP\/1\.1 (\d+) .*?\r\n\r\n/s';

    /** Of 20 ms: the rest of an answer whose head is there does not take that long. */
    private const QUIET_LOOKS = 100;

    /** @var array<string, true> ids of events that were answered with 202 */
    public array $acknowledged = [];

    /** @var list<string> */
    public array $failures = [];

    /**
     * @var list<string> ids of events whose answer broke off behind its head, which said 202,
     *     while the connection stayed open
     */
    public array $cut = [];

    /** @var array<int, array{stream: resource, kept: bool, id: string, in: string, used: bool}> */
    private array $clients = [];

    private int $number = 0;

    /** @param bool $mayFail what is going on cuts connections off */
    public function __construct(
        private readonly string $address,
        private readonly int $kept = 8,
        private readonly int $new = 4,
        private readonly bool $mayFail = false,
    ) {}

    /** @param Closure(self): bool $isOver asked between two looks */
    public function run(Closure $isOver): self
    {
        while (! $isOver($this)) {
            $this->fill();
            $this->look();
        }

        return $this->finish();
    }

    /**
     * @param list<string> $ids of what was collected
     * @return string what is wrong with it in one line; events whose answer did not get through may be there, too, once
     */
    public function differsFrom(array $ids): string
    {
        $times = array_count_values($ids);
        $lost = array_diff_key($this->acknowledged, $times);
        $double = array_filter($times, static fn (int $count): bool => $count > 1);

        return ($lost === []
            ? ''
            : sprintf(
                '%d of %d acknowledged events are lost, such as %s. ',
                count($lost),
                count($this->acknowledged),
                array_key_first($lost),
            ))
            .($double === []
                ? ''
                : sprintf('%d are there more than once, such as %s. ', count($double), array_key_first($double)))
            .($this->mayFail || count($times) <= count($this->acknowledged)
                ? ''
                : sprintf('%d are there that nobody acknowledged.', count($times) - count($this->acknowledged)));
    }

    /** Waits for the requests in flight. */
    public function finish(): self
    {
        for ($left = 500, $quiet = 0; $left > 0
            && $this->clients !== []
            && ($quiet < self::QUIET_LOOKS || ! $this->haveHeads()); $left--) {
            $quiet = $this->look(false) ? 0 : $quiet + 1;
        }

        foreach ($this->clients as $client) {
            if (preg_match(self::HEAD, $client['in'], $m) === 1 && $m[1] === '202') {
                $this->cut[] = $client['id'];
            } else {
                $this->failures[] = "no answer to {$client['id']}: {$client['in']}";
            }
        }

        return $this;
    }

    private function fill(): void
    {
        $kept = count(array_filter($this->clients, static fn (array $client): bool => $client['kept']));
        $new = count($this->clients) - $kept;

        while ($kept < $this->kept || $new < $this->new) {
            $isKept = $kept < $this->kept;
            $stream = @stream_socket_client("tcp://{$this->address}", $number, $words, 5);

            if ($stream === false) {
                $this->fail("not connected: {$words}");
                usleep(5_000);

                return;
            }

            $this->send($stream, $isKept);
            $isKept ? $kept++ : $new++;
        }
    }

    /** @param resource $stream */
    private function send($stream, bool $isKept, bool $used = false): void
    {
        $id = sprintf('%d-%06d', getmypid(), ++$this->number);
        $body = '{"type":"t","id":"'.$id.'","data":{"n":'.$this->number.'}}';
        $bytes = "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            .($isKept ? '' : "Connection: close\r\n").'Content-Length: '.strlen($body)."\r\n\r\n{$body}";
        $sent = @fwrite($stream, $bytes);
        stream_set_blocking($stream, false);
        $this->clients[(int) $stream] = [
            'stream' => $stream,
            'kept' => $isKept,
            'id' => $id,
            'in' => '',
            'used' => $used,
        ];

        if ($sent !== strlen($bytes)) {
            $this->lost((int) $stream, 'not written');
        }
    }

    private function haveHeads(): bool
    {
        return array_filter(
            $this->clients,
            static fn (array $client): bool => preg_match(self::HEAD, $client['in']) !== 1,
        ) === [];
    }

    /** @return bool whether anything came */
    private function look(bool $continues = true): bool
    {
        $read = array_column($this->clients, 'stream');
        $write = $except = null;

        if ($read === [] || @stream_select($read, $write, $except, 0, 20_000) < 1) {
            return false;
        }

        foreach ($read as $stream) {
            $bytes = @fread($stream, 65_536);

            if ($bytes === false || $bytes === '') {
                $this->lost((int) $stream, 'closed without an answer');

                continue;
            }

            $client = &$this->clients[(int) $stream];
            $client['in'] .= $bytes;

            if (
                preg_match(self::HEAD, $client['in'], $m) === 1
                && preg_match('/^Content-Length: (\d+)/mi', $m[0], $length) === 1
                && strlen($client['in']) >= strlen($m[0]) + (int) $length[1]
            ) {
                $this->answered($client, (int) $m[1], stripos($m[0], 'connection: close') !== false, $continues);
            }

            unset($client);
        }

        return true;
    }

    /** @param array{stream: resource, kept: bool, id: string, in: string, used: bool} $client */
    private function answered(array $client, int $status, bool $isClosed, bool $continues): void
    {
        if ($status === 202) {
            $this->acknowledged[$client['id']] = true;
        } else {
            $this->failures[] = "{$client['id']}: {$client['in']}";
        }

        unset($this->clients[(int) $client['stream']]);

        if ($client['kept'] && ! $isClosed && $continues) {
            $this->send($client['stream'], true, true);
        } else {
            fclose($client['stream']);
        }
    }

    private function lost(int $number, string $why): void
    {
        $client = $this->clients[$number];
        $this->fail("{$client['id']}: {$why}".($client['used'] ? ' on a kept connection' : ''));
        unset($this->clients[$number]);
        fclose($client['stream']);
    }

    private function fail(string $why): void
    {
        if (! $this->mayFail) {
            $this->failures[] = $why;
        }
    }
}
