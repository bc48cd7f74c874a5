<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest\Work;

use Closure;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Bodies that a limit allows, made to cost more than their bytes: little that is said once and much that shares it,
 * parts that are empty, wrong or of the largest size, names in great number. The extremes are as likely
 * as all that lies between.
 */
final readonly class HostileRequests
{
    public const FORMATS = [
        'scopes', 'records', 'halves', 'context', 'otlp', 'segment', 'array', 'lines', 'cloudevents', 'rows', 'binary',
        'call', 'single',
    ];

    private Randomizer $random;

    public function __construct(int $seed, private int $bytes, private int $eventBytes, private int $events)
    {
        $this->random = new Randomizer(new Mt19937($seed));
    }

    /** @return array{string, array<string, string>, string} path, headers, body */
    public function of(string $format): array
    {
        $json = ['content-type' => 'application/json'];

        return match ($format) {
            'scopes' => [
                '/v1/logs',
                $json,
                '{"resourceLogs":[{"resource":{"attributes":['.$this->repeated('{"key":"k"}', $this->eventBytes - 100)
                    .']},"scopeLogs":['.$this->repeated('{}', 10_000, 4_000).']}]}',
            ],
            'records' => ['/v1/logs', $json, $this->shared($this->eventBytes)],
            'halves' => ['/v1/logs', $json, $this->shared(intdiv($this->eventBytes, 2))],
            'context' => [
                '/v1/batch',
                $json,
                '{"context":{"a":"'.str_repeat('x', $this->eventBytes - strlen('{"a":""}')).'"},"batch":['
                    .$this->repeated('{"type":"track","event":"e"}', 200_000, 5_000).']}',
            ],
            'otlp' => ['/v1/logs', $json, $this->fitting($this->otlp(...))],
            'segment' => ['/v1/batch', $json, $this->fitting($this->segment(...))],
            'array' => [
                '/v1/events',
                $json,
                $this->fitting(fn (float $part): string => '['.$this->many($part, $this->event(...)).']'),
            ],
            'lines' => [
                '/v1/events',
                ['content-type' => 'application/x-ndjson'],
                $this->fitting(fn (float $part): string => str_replace(
                    '},{',
                    "}\n{",
                    $this->many($part, $this->event(...)),
                )),
            ],
            'cloudevents' => [
                '/v1/events',
                ['content-type' => 'application/cloudevents-batch+json'],
                $this->fitting(fn (float $part): string => '['.$this->many($part, $this->cloudEvent(...)).']'),
            ],
            'rows' => [
                '/v1/events',
                $json + ['headroom-bucket' => 'b'],
                $this->fitting(fn (float $part): string => '['.$this->many($part, $this->row(...)).']'),
            ],
            'binary' => [
                '/v1/events',
                $json + ['ce-specversion' => '1.0', 'ce-type' => 't', 'ce-id' => '1', 'ce-source' => 's']
                    + array_fill_keys(array_map(static fn (int $n): string => "ce-x{$n}", range(1, 80)), 'v'),
                $this->value($this->size()),
            ],
            'call' => ['/v1/track', $json, $this->message()],
            default => ['/v1/events', $json, $this->event()],
        };
    }

    /** One resource of so many bytes, and as many records as a request may have. */
    private function shared(int $bytes): string
    {
        return '{"resourceLogs":[{"resource":{"a":"'.str_repeat('x', $bytes - strlen('{"a":""}'))
            .'"},"scopeLogs":[{"logRecords":['.$this->repeated('{}', 3 * $this->events, $this->events).']}]}]}';
    }

    private function otlp(float $part): string
    {
        $records = fn (): string => $this->many($part, $this->record(...));
        $scope = fn (): string => '{"scope":'.$this->value($this->size()).',"logRecords":['
            .($this->random->getInt(0, 2) === 0 ? '' : $records()).']}';
        $few = $this->value($this->size());
        $empty = '{"scope":{},"logRecords":['.($this->random->getInt(0, 1) === 0 ? '' : '{}').']}';
        $scopes = match ($this->random->getInt(0, 2)) {
            0 => implode(',', array_fill(0, max(1, (int) ($this->count() * $part)), $empty)),
            1 => $this->many($part, static fn (): string => '{}'),
            default => $scope(),
        };
        $attributes = $this->random->getInt(0, 1) === 0
            ? $few
            : '{"attributes":['.$this->repeated('{"key":"k","value":{"stringValue":"v"}}', $this->size()).']}';

        return '{"resourceLogs":['
            .$this->repeated(
                '{"resource":'.$attributes.',"scopeLogs":['.$scopes.']}',
                $this->random->getInt(0, 1) === 0 ? 1 : $this->size(),
                3,
            )
            .']}';
    }

    private function segment(float $part): string
    {
        return '{"context":'.$this->value($this->size()).',"integrations":'.$this->value($this->size()).',"batch":['
            .$this->many($part, $this->message(...)).'],"sentAt":'.$this->value($this->size()).'}';
    }

    private function record(): string
    {
        return match ($this->random->getInt(0, 4)) {
            0 => '{}',
            1 => '{"timeUnixNano":"x"}',
            2 => '1',
            3 => '{"body":'.$this->value($this->size()).'}',
            default => '{"eventName":"e","timeUnixNano":"1700000000000000000"}',
        };
    }

    private function message(): string
    {
        return match ($this->random->getInt(0, 4)) {
            0 => '{}',
            1 => '{"type":"nonsense"}',
            2 => '{"type":"track","event":"e","properties":'.$this->value($this->size()).'}',
            3 => '{"type":"page","writeKey":"w","userId":[]}',
            default => '{"type":"track","event":"e"}',
        };
    }

    private function event(): string
    {
        return match ($this->random->getInt(0, 4)) {
            0 => '{}',
            1 => '{"type":"t","data":'.$this->value($this->size()).'}',
            2 => '{"type":"t","more":'.$this->value($this->size()).'}',
            3 => '{"type":"t",'.$this->members(300).'}',
            default => '{"type":"t","id":"1"}',
        };
    }

    private function cloudEvent(): string
    {
        return '{"specversion":"1.0","type":"t","id":"1","source":"s","data":'.$this->value($this->size()).'}';
    }

    private function row(): string
    {
        return match ($this->random->getInt(0, 2)) {
            0 => '{"_id":"1"}',
            1 => '{"_id":"1","x":'.$this->value($this->size()).'}',
            default => '{"_id":"1",'.$this->members(200).'}',
        };
    }

    /** Some JSON of about so many bytes. */
    private function value(int $bytes): string
    {
        return match ($this->random->getInt(0, 6)) {
            0 => '"'.str_repeat('x', $bytes).'"',
            1 => '"'.str_repeat('\\u0001', intdiv($bytes, 6)).'"',
            2 => '{'.$this->repeated('"a":1', $bytes).'}',
            3 => '{'.$this->members(intdiv($bytes, 12)).'}',
            4 => '['.$this->repeated('[[]]', $bytes).']',
            5 => str_repeat('[', min(60, $bytes)).str_repeat(']', min(60, $bytes)),
            default => str_repeat(' ', $bytes).'{}',
        };
    }

    /** Names that fall into one place of PHP's table, where they are made numbers. */
    private function members(int $count): string
    {
        return implode(',', array_map(static fn (int $n): string => '"'.$n * 65_536 .'":0', range(1, max(1, $count))));
    }

    private function size(): int
    {
        return match ($this->random->getInt(0, 4)) {
            0 => 0,
            1 => $this->eventBytes - $this->random->getInt(0, 200),
            2 => intdiv($this->eventBytes, 2),
            default => 2 ** $this->random->getInt(0, (int) log($this->eventBytes, 2)),
        };
    }

    private function count(): int
    {
        return $this->random->getInt(0, 1) === 0
            ? $this->events
            : 2 ** $this->random->getInt(0, (int) log($this->events, 2));
    }

    private function repeated(string $text, int $bytes, int $most = PHP_INT_MAX): string
    {
        return implode(',', array_fill(0, max(1, min($most, intdiv($bytes, strlen($text) + 1))), $text));
    }

    /** @param Closure(): string $one */
    private function many(float $part, Closure $one): string
    {
        $made = [];
        $bytes = 0;
        $kinds = array_map($one, array_fill(0, 3, null));

        for ($count = $this->count(), $i = 0; $i < $count && $bytes < $this->bytes * $part; $i++) {
            $made[] = $kinds[$this->random->getInt(0, 2)];
            $bytes += strlen($made[$i]) + 1;
        }

        return implode(',', $made);
    }

    /** @param Closure(float): string $make gets how much of what is allowed it may use */
    private function fitting(Closure $make): string
    {
        for ($part = 0.95; ; $part /= 2) {
            $body = $make($part);

            if (strlen($body) <= $this->bytes || $part < 0.01) {
                return substr($body, 0, $this->bytes);
            }
        }
    }
}
