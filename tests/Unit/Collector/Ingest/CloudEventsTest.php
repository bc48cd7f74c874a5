<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class CloudEventsTest extends IngestTestCase
{
    private const EVENT = '{"specversion":"1.0","id":"A234","source":"/mycontext","type":"com.example",'
        .'"time":"2018-04-05T17:31:00Z","subject":null,"comexampleextension1":"value","comexampleothervalue":5,'
        .'"unset":null,"datacontenttype":"text/xml","data":"<much wow=\"xml\"/>"}';

    private const BINARY = [
        'ce-specversion' => '1.0',
        'ce-id' => 'A234',
        'ce-source' => '/mycontext',
        'ce-type' => 'com.example',
    ];

    #[Test]
    public function structured_mode(): void
    {
        foreach ([
            'application/cloudevents+json', 'application/cloudevents+json; charset=UTF-8', 'application/json',
        ] as $type) {
            self::assertSame([
                'id' => 'A234', 'source' => '/mycontext', 'type' => 'com.example',
                'time' => '2018-04-05T17:31:00.000000+00:00', 'received_at' => '2026-11-22T08:00:00.123456+00:00',
                'subject' => null, 'key' => null,
                'data' => '"<much wow=\"xml\"/>"',
                'extensions' =>
                    '{"comexampleextension1":"value","comexampleothervalue":5,"datacontenttype":"text/xml"}',
            ], self::row($this->harness()->post(self::EVENT, ['content-type' => $type])), $type);
        }
    }

    #[Test]
    public function batch_mode_is_not_taken_for_a_single_one(): void
    {
        $result = $this->harness()->post(
            '['.self::EVENT.','.str_replace('A234', 'B', self::EVENT).']',
            ['content-type' => 'application/cloudevents-batch+json; charset=utf-8'],
        );

        self::assertSame(2, $result->count);
        self::assertSame(['A234', 'B'], array_column(PipelineHarness::rows($result->lines), 'id'));
    }

    #[Test]
    public function binary_mode(): void
    {
        $headers = self::BINARY
            + [
                'ce-time' => '2018-04-05T17:31:00Z',
                'ce-subject' => 'Euro%20%E2%82%AC%20%F0%9F%98%80%2525',
                'ce-traceparent' => '00-1',
                'content-type' => 'application/vnd.x+json; charset=utf-8',
            ];
        self::assertSame([
            'id' => 'A234', 'source' => '/mycontext', 'type' => 'com.example',
            'time' => '2018-04-05T17:31:00.000000+00:00', 'received_at' => '2026-11-22T08:00:00.123456+00:00',
            'subject' => 'Euro € 😀%25', 'key' => null,
            'data' => '{"a": 1.0, "b": {}}',
            'extensions' => '{"traceparent":"00-1","datacontenttype":"application/vnd.x+json; charset=utf-8"}',
        ], self::row($this->harness()->post("{\"a\": 1.0,\n\"b\": {}}", $headers)));
    }

    /** @return iterable<string, array{string, string, ?string, string}> */
    public static function bodies(): iterable
    {
        yield 'json' => ['application/json', '[1]', '[1]', '{"datacontenttype":"application/json"}'];
        yield 'nothing' => ['application/json', '', null, '{"datacontenttype":"application/json"}'];
        yield 'text' => ['text/plain', "a\n\"b\"", '"a\n\"b\""', '{"datacontenttype":"text/plain"}'];
        yield 'bytes' => ['image/png', "\x89PNG", '"iVBORw=="', '{"datacontenttype":"image/png","data_base64":true}'];
    }

    #[Test]
    #[DataProvider('bodies')]
    public function the_body_of_binary_mode_may_be_anything(
        string $type,
        string $body,
        ?string $data,
        string $extensions,
    ): void {
        $row = self::row($this->harness()->post($body, self::BINARY + ['content-type' => $type]));

        self::assertSame([$data, $extensions], [$row['data'], $row['extensions']]);
    }

    #[Test]
    public function bytes_in_json(): void
    {
        $event = '{"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"%s"%s}';
        $row = self::row($this->harness()->post(sprintf($event, 'AQID', '')));
        self::assertSame(['"AQID"', '{"data_base64":true}'], [$row['data'], $row['extensions']]);

        self::refused(422, 'invalid_data', $this->harness()->post(sprintf($event, 'A!', '')));
        self::refused(422, 'invalid_data', $this->harness()->post(sprintf($event, 'AQID', ',"data":1')));
    }

    /** @return iterable<string, array{string, string}> */
    public static function broken(): iterable
    {
        yield 'no id' => ['missing_id', '{"specversion":"1.0","source":"s","type":"t"}'];
        yield 'no source' => ['missing_source', '{"specversion":"1.0","id":"s","type":"t"}'];
        yield 'no type' => ['missing_type', '{"specversion":"1.0","id":"s","source":"t"}'];
        yield 'version 0.3' => ['unsupported_specversion', '{"specversion":"0.3","id":"s","source":"t","type":"t"}'];
        yield 'no version' => ['unsupported_specversion', '{"id":"s","source":"t","type":"t"}'];
    }

    #[Test]
    #[DataProvider('broken')]
    public function the_required_attributes_of_the_specification_are_required(string $code, string $event): void
    {
        self::refused(
            422,
            $code,
            $this->harness()->post($event, ['content-type' => 'application/cloudevents+json']),
        );
    }

    #[Test]
    public function the_required_headers_of_the_specification_are_required(): void
    {
        $harness = $this->harness();

        self::refused(422, 'missing_id', $harness->post('', array_diff_key(self::BINARY, ['ce-id' => 1])));
        self::refused(422, 'missing_source', $harness->post('', array_diff_key(self::BINARY, ['ce-source' => 1])));
        self::refused(422, 'missing_type', $harness->post('', array_diff_key(self::BINARY, ['ce-type' => 1])));
        self::refused(422, 'unsupported_specversion', $harness->post('', ['ce-specversion' => '2'] + self::BINARY));
        self::refused(400, 'not_utf8', $harness->post('', self::BINARY + ['ce-x' => '%FF']));
        self::refused(400, 'not_json', $harness->post('{', self::BINARY));
        self::refused(
            415,
            'unsupported_media_type',
            $harness->post('x', ['content-type' => 'application/cloudevents+avro']),
        );
    }
}
