<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Request;
use Headroom\Spool\UnableToAppend;
use PHPUnit\Framework\Attributes\Test;

final class OtlpTest extends IngestTestCase
{
    private const BODY = '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name",'
        .'"value":{"stringValue":"shop"}}]},"scopeLogs":[{"scope":{"name":"my.library"},"logRecords":[%s],'
        .'"schemaUrl":""}]}],"unknown":{}}';

    #[Test]
    public function records_become_events(): void
    {
        $result = $this->harness()->post(
            sprintf(
                self::BODY,
                '{"timeUnixNano":"1544712660300000000","severityNumber":10,"body":{"stringValue":"x"}},'
                    .'{"observedTimeUnixNano":1544712660300000999,"eventName":"signed.up","attributes":[]},{}',
            ),
            path: '/v1/logs',
        );

        self::assertSame(
            [200, '{}', 'application/json'],
            [$result->response->status, $result->response->body, $result->response->headers['Content-Type']],
        );
        $rows = PipelineHarness::rows($result->lines);
        self::assertSame(
            [
                'shop',
                'log',
                '2018-12-13T14:51:00.300000+00:00',
                '{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},'
                    .'"scope":{"name":"my.library"},"record":{"timeUnixNano":"1544712660300000000","severityNumber":10,'
                    .'"body":{"stringValue":"x"}}}',
            ],
            [$rows[0]['source'], $rows[0]['type'], $rows[0]['time'], $rows[0]['data']],
        );
        self::assertSame(['signed.up', '2018-12-13T14:51:00.300000+00:00'], [$rows[1]['type'], $rows[1]['time']]);
        self::assertSame('2026-11-22T08:00:00.123456+00:00', $rows[2]['time']);
    }

    #[Test]
    public function the_service_is_found_among_many_attributes(): void
    {
        $others = implode(
            ',',
            array_map(
                static fn (int $number): string => '{"key":"a'.$number.'","value":{"kvlistValue":{"values":[]}}}',
                range(1, 400),
            ),
        );
        $body = str_replace('"attributes":[', '"attributes":['.$others.',', self::BODY);
        $result = $this->harness()->post(sprintf($body, '{}'), ['content-type' => 'application/json'], '/v1/logs');

        self::assertSame('shop', self::row($result)['source']);

        foreach ([
            '"attributes":7',
            '"attributes":[7]',
            '"attributes":{"key":"service.name"}',
            '"attributes":[{"key":"service.name"}]',
            '"attributes":[{"key":"service.name","value":{"stringValue":""}}]',
        ] as $odd) {
            $result = $this->harness()->post(
                '{"resourceLogs":[{"resource":{'.$odd.'},"scopeLogs":[{"logRecords":[{}]}]}]}',
                ['content-type' => 'application/json'],
                '/v1/logs',
            );
            self::assertSame('headroom', self::row($result)['source'], $odd);
        }
    }

    #[Test]
    public function the_rejected_are_a_partial_success(): void
    {
        $result = $this->harness()->post(sprintf(self::BODY, '{},{"timeUnixNano":"soon"},5'), path: '/v1/logs');

        self::assertSame([200, 1], [$result->response->status, $result->count]);
        $partial = PipelineHarness::body($result)['partialSuccess'];
        self::assertIsArray($partial);
        self::assertSame('2', $partial['rejectedLogRecords']);
        self::assertIsString($partial['errorMessage']);
        self::assertStringContainsString('soon', $partial['errorMessage']);
    }

    #[Test]
    public function no_records_are_no_error(): void
    {
        foreach ([
            '{}', '{"resourceLogs":[]}', '{"resourceLogs":null}', '{"resourceLogs":[{}]}', sprintf(self::BODY, ''),
        ] as $body) {
            self::assertSame(
                [200, '{}', 0],
                [
                    ($result = $this->harness()->post($body, path: '/v1/logs'))->response->status,
                    $result->response->body,
                    $result->count,
                ],
                $body,
            );
        }
    }

    #[Test]
    public function errors_have_its_own_form(): void
    {
        $harness = $this->harness();
        $cases = [
            [400, 3, $harness->post('{"resourceLogs":[{]}', path: '/v1/logs')],
            [400, 3, $harness->post('{"resourceLogs":{}}', path: '/v1/logs')],
            [415, 3, $harness->post('<logs/>', ['content-type' => 'application/xml'], '/v1/logs')],
            [404, 5, $harness->post('{}', path: '/v1/traces')],
            [404, 5, $harness->post('{}', path: '/v1/metrics/')],
            [401, 16, $this->harness(new IngestSettings)->post('{}', path: '/v1/logs')],
            [405, 12, $harness->ask('GET', '/v1/logs')],
            [
                413,
                3,
                $this->harness(new IngestSettings(isAuthenticated: false, limits: new IngestLimits(batchEvents: 2)))
                    ->post(sprintf(self::BODY, '{},{},{}'), path: '/v1/logs'),
            ],
            [
                413,
                3,
                $this->harness(new IngestSettings(isAuthenticated: false, limits: new IngestLimits(batchEvents: 2)))
                    ->post('{"resourceLogs":[{},{},{}]}', path: '/v1/logs'),
            ],
        ];

        foreach ($cases as [$status, $code, $result]) {
            self::assertSame([$status, 0], [$result->response->status, $result->count]);
            self::assertSame(['code', 'message'], array_keys(PipelineHarness::body($result)));
            self::assertSame($code, PipelineHarness::body($result)['code']);
            self::assertSame('application/json', $result->response->headers['Content-Type']);
        }

        $answer = $harness->pipeline->appendFailed(
            UnableToAppend::quotaReached('/secret/path', 1, 1, 1),
            new Request('POST', '/v1/logs'),
        );
        self::assertSame([503, '15'], [$answer->status, $answer->headers['Retry-After']]);
        self::assertStringContainsString('"code":14', $answer->body);
        self::assertStringNotContainsString('/secret', $answer->body);
    }
}
