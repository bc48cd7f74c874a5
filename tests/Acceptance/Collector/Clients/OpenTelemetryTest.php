<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * OpenTelemetry's exporters of logs for Node: OTLP/HTTP in Protocol Buffers and in JSON, through its batch processor.
 */
final class OpenTelemetryTest extends TestCase
{
    #[Test, Group('day-3')]
    #[TestWith(['none', 'json'])]
    #[TestWith(['gzip', 'json'])]
    #[TestWith(['none', 'protobuf'])]
    #[TestWith(['gzip', 'protobuf'])]
    public function records_arrive_value_for_value(string $compression, string $protocol): void
    {
        $station = Station::open();
        self::assertSame(
            [['code' => 0, 'error' => null], ['code' => 0, 'error' => null], ['code' => 0, 'error' => null]],
            $this->emit($station, ['COMPRESSION' => $compression, 'PROTOCOL' => $protocol]),
        );
        $this->assertArrived($station, 25, $protocol);
    }

    #[Test, Group('day-1')]
    public function a_503_is_tried_again_after_its_retry_after_and_each_record_arrives_once(): void
    {
        $station = Station::open(bucket: ['max_bytes' => 65_536]);
        $this->fill($station);

        $directory = Shell::module(Shell::script('opentelemetry.mjs'));
        $process = new Process(
            ['node', $directory->file('client.mjs')],
            null,
            $station->env() + ['RECORDS' => '10'],
            timeout: 90,
        );

        try {
            $process->start();
            $station->collector->waitFor(static fn (): bool => str_contains(
                Client::fetch($station->collector->admin(), '/metrics')[1],
                'headroom_events_refused_total{reason="quota"} 11',
            ));
            // Room again.
            $station->collector->collected();
            $process->wait();
        } finally {
            $process->stop(0, SIGKILL);
            Shell::clear($directory);
        }

        self::assertSame(
            [['code' => 0, 'error' => null]],
            json_decode($process->getOutput(), true),
            $process->getErrorOutput(),
        );
        $this->assertArrived($station, 10);
    }

    #[Test]
    #[TestWith(['json'])]
    #[TestWith(['protobuf'])]
    public function a_429_is_tried_again_as_well(string $protocol): void
    {
        $station = Station::open(['--rate', '10']);
        self::assertSame(
            [['code' => 0, 'error' => null], ['code' => 0, 'error' => null]],
            $this->emit($station, ['RECORDS' => '20', 'PROTOCOL' => $protocol]),
        );
        $station->collector->waitFor(static fn (): bool => str_contains(
            Client::fetch($station->collector->admin(), '/metrics')[1],
            'headroom_http_requests_total{code="429"} ',
        ));
        $this->assertArrived($station, 20, $protocol);
    }

    #[Test]
    #[TestWith(['json'])]
    #[TestWith(['protobuf'])]
    public function a_wrong_key_is_final(string $protocol): void
    {
        $station = Station::open();
        [$result] = $this->emit($station, ['RECORDS' => '1', 'EVENTS_KEY' => 'hrk_wrong', 'PROTOCOL' => $protocol]);

        self::assertSame(1, $result['code']);
        self::assertSame([], $station->rows());
    }

    #[Test, Group('day-2')]
    public function the_example_of_the_page_works(): void
    {
        $station = Station::open();
        Shell::node((new Guide)->examples('OpenTelemetry', 'js')[0], $station->env());

        self::assertSame(['cart.emptied', 'checkout'], [$station->row()['type'], $station->row()['source']]);
    }

    /**
     * @param array<string, string> $env
     * @return non-empty-list<array{code: int, error: ?string}> of each batch
     */
    private function emit(Station $station, array $env): array
    {
        /** @var non-empty-list<array{code: int, error: ?string}> $results the script prints them */
        $results = json_decode(
            Shell::node(Shell::script('opentelemetry.mjs'), $env + $station->env()),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        return $results;
    }

    /** So that the bucket's quota is used up. */
    private function fill(Station $station): void
    {
        $filler = '{"type":"filler","data":"'.str_repeat('x', 60_000).'"}';
        $client = new Client($station->collector->address());

        for ($left = 20; $left > 0; $left--) {
            [$status] = $client->send(
                "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: "
                    ."Bearer {$station->key}\r\nContent-Length: ".strlen($filler)."\r\n\r\n{$filler}",
            )->answer();

            if ($status === 503) {
                return;
            }

            self::assertSame(202, $status);
        }

        self::fail('The bucket took more than its quota.');
    }

    private function assertArrived(Station $station, int $count, string $protocol = 'json'): void
    {
        // A 64-bit integer, which JSON of Protocol Buffers writes as a text; the exporter of JSON writes a number.
        $integer = static fn (int $number): int|string => $protocol === 'json' ? $number : (string) $number;
        $numbers = [];

        foreach ($station->rows() as $row) {
            if ($row['type'] === 'filler') {
                continue;
            }

            $data = $row['data'];
            self::assertIsArray($data);
            self::assertIsArray($data['record']);
            $number = count($numbers);
            $numbers[] = $number;

            self::assertSame(
                ['cart.emptied', 'checkout', sprintf('2026-07-14T03:33:%02d.000000+00:00', $number), 'web'],
                [$row['type'], $row['source'], $row['time'], $row['key']],
            );
            self::assertSame(
                ['attributes' => [
                    ['key' => 'service.name', 'value' => ['stringValue' => 'checkout']],
                    ['key' => 'service.version', 'value' => ['stringValue' => '1.2.3']],
                ]],
                array_diff_key((array) $data['resource'], ['droppedAttributesCount' => 0]),
            );
            self::assertSame(['name' => 'cart', 'version' => '7'], $data['scope']);
            self::assertSame(
                [13, 'WARN', ['stringValue' => "Grüße {$number}"], 'cart.emptied'],
                [
                    $data['record']['severityNumber'],
                    $data['record']['severityText'],
                    $data['record']['body'],
                    $data['record']['eventName'],
                ],
            );
            self::assertSame([
                ['key' => 'number', 'value' => ['intValue' => $integer($number)]],
                ['key' => 'share', 'value' => ['doubleValue' => 0.5]],
                ['key' => 'sure', 'value' => ['boolValue' => true]],
                [
                    'key' => 'tags',
                    'value' => ['arrayValue' => ['values' => [['stringValue' => 'a'], ['stringValue' => 'b']]]],
                ],
                [
                    'key' => 'nested',
                    'value' => ['kvlistValue' => ['values' => [[
                        'key' => 'deep',
                        'value' => ['kvlistValue' => ['values' => [[
                            'key' => 'n',
                            'value' => ['intValue' => $integer(1)],
                        ]]]],
                    ]]]],
                ],
            ], $data['record']['attributes']);
        }

        self::assertCount($count, $numbers);
    }
}
