<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Support\Carbon;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WorkbenchEndpointsTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        Carbon::setTestNow();
        $this->workbench?->shut();
        $this->workbench = null;
    }

    #[Test]
    public function the_endpoints_look_alike_from_outside(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);

        foreach (['none', 'sync', 'buffered'] as $endpoint) {
            $response = $workbench->postJson("/events/{$endpoint}", WorkbenchEvent::json());

            self::assertSame(202, $response->getStatusCode(), $workbench->log());
            self::assertSame('application/json', $response->headers->get('Content-Type'));
            self::assertSame('{"accepted":true}', $response->getContent());
            self::assertSame([], $response->headers->getCookies());
        }
    }

    #[Test]
    public function none_writes_nothing_sync_writes_at_once_and_buffered_with_the_flush(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);

        foreach (['none' => [], 'buffered' => [], 'sync' => ['sync']] as $endpoint => $rows) {
            $workbench->postJson("/events/{$endpoint}", WorkbenchEvent::json(['id' => $endpoint]));

            self::assertSame($rows, array_column($workbench->rows('page_views'), 'seq'));
        }

        $workbench->artisan('spool:flush', ['bucket' => 'page-views']);

        self::assertSame(['sync', 'buffered'], array_column($workbench->rows('page_views'), 'seq'));
    }

    #[Test]
    public function the_file_that_a_buffer_is_compared_with_gets_a_line_for_each_event(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);
        Carbon::setTestNow('2025-03-01 12:00:00.654321');
        $events = [WorkbenchEvent::json(['id' => 'first']), WorkbenchEvent::json(['id' => 'second'])];

        foreach ($events as $event) {
            self::assertSame(202, $workbench->postJson('/events/file', $event)->getStatusCode(), $workbench->log());
        }

        $lines = array_map(
            static fn (string $line): mixed => json_decode($line, true),
            explode("\n", trim((string) file_get_contents("{$workbench->storage}/page-views.ndjson"))),
        );
        self::assertSame(['first', 'second'], array_column($lines, 'seq'));
        self::assertSame(
            ['2025-03-01T12:00:00.654321+00:00', '2025-03-01T12:00:00.654321+00:00'],
            array_column($lines, 'created_at'),
        );
        self::assertSame([], $workbench->rows('page_views'));
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_buffered_row_equals_the_row_of_the_synchronous_insert(WorkbenchDatabase $database): void
    {
        $workbench = $this->workbenchOn($database);
        Carbon::setTestNow('2025-03-01 12:00:00.654321');
        $events = $this->events($database);

        foreach ($events as $event) {
            self::assertSame(202, $workbench->postJson('/events/sync', $event)->getStatusCode(), $workbench->log());
        }

        $synchronous = $workbench->rows('page_views');
        $workbench->artisan('workbench:reset');

        foreach ($events as $event) {
            self::assertSame(202, $workbench->postJson('/events/buffered', $event)->getStatusCode(), $workbench->log());
        }

        $workbench->artisan('spool:flush', ['bucket' => 'page-views']);

        self::assertCount(count($events), $synchronous);
        self::assertSame($this->bySeq($synchronous), $this->bySeq($workbench->rows('page_views')));
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_form_body_arrives_byte_for_byte_in_the_binary_bucket(WorkbenchDatabase $database): void
    {
        $workbench = $this->workbenchOn($database);
        $sent = [
            'latin-1' => "/caf\xE9/\xFF\xFE",
            'NUL and newlines' => "/a\0b\r\nc\n",
            'four bytes' => '/🚀/𝕏',
            'backslashes' => '/\\x41/\\\\/\\101/\\',
            'spaces at the ends' => "  \t/x \0 ",
            'every byte' => implode('', array_map(chr(...), range(0, 255))),
        ];

        foreach ($sent as $id => $path) {
            $form = WorkbenchEvent::form(
                ['id' => $id, 'path' => $path, 'referer' => $path, 'agent' => '', 'bytes' => ''],
            );

            self::assertSame(
                202,
                $workbench->postForm('/events/buffered-binary', $form)->getStatusCode(),
                $workbench->log(),
            );
        }

        $workbench->artisan('spool:flush', ['bucket' => 'page-views-binary']);
        $rows = $this->bySeq($workbench->rows('page_views_binary'));

        self::assertEqualsCanonicalizing(array_keys($sent), array_keys($rows));

        foreach ($sent as $id => $path) {
            self::assertSame(bin2hex($path), $this->hex($rows[$id]['path']), $id);
            self::assertSame(bin2hex($path), $this->hex($rows[$id]['referer']), $id);
            self::assertSame('', $rows[$id]['agent']);
            self::assertNull($rows[$id]['bytes']);
        }
    }

    #[Test]
    public function the_audit_bucket_goes_to_a_file_of_one_json_object_per_line(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);

        Buffer::bucket('audit')->addMany([['who' => 'ada', 'did' => 'login'], ['who' => 'ada', 'did' => 'logout']]);
        $workbench->artisan('spool:flush', ['bucket' => 'audit']);

        $lines = file($workbench->storage.'/audit.ndjson', FILE_IGNORE_NEW_LINES);

        self::assertIsArray($lines);
        self::assertCount(2, $lines);
        self::assertStringContainsString('"did":"login"', $lines[0]);
        self::assertStringContainsString('"did":"logout"', $lines[1]);
    }

    #[Test]
    public function the_home_page_and_the_count_tell_the_rows(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite);
        $workbench->postJson('/events/sync', WorkbenchEvent::json());

        self::assertSame('{"page_views":1,"page_views_binary":0}', $workbench->get('/events/count')->getContent());

        $page = $workbench->get('/');
        self::assertSame(200, $page->getStatusCode());
        self::assertMatchesRegularExpression(
            '~<code>page_views</code>.*?<td class="number">\s*1\s*</td>~s',
            (string) $page->getContent(),
        );
    }

    private function workbenchOn(WorkbenchDatabase $database): WorkbenchApplication
    {
        return $this->workbench = WorkbenchApplication::boot($database->environment())->migrate();
    }

    /** @return list<array<string, mixed>> */
    private function events(WorkbenchDatabase $database): array
    {
        $events = [
            WorkbenchEvent::json(['id' => 'whole']),
            WorkbenchEvent::json(['id' => 'nulls', 'bytes' => null, 'referer' => null, 'agent' => null]),
            array_diff_key(WorkbenchEvent::json(['id' => 'left out']), ['bytes' => 1, 'referer' => 1, 'agent' => 1]),
            WorkbenchEvent::json(['id' => 'empty', 'bytes' => 0, 'referer' => '', 'agent' => '']),
            WorkbenchEvent::json(['id' => 'zero', 'path' => '0', 'agent' => 'null', 'referer' => 'false']),
            WorkbenchEvent::json(['id' => 'large', 'bytes' => PHP_INT_MAX]),
            WorkbenchEvent::json(['id' => 'four bytes', 'path' => '/🚀', 'agent' => "line one\r\nline two\u{2028}"]),
            WorkbenchEvent::json(['id' => 'quotes', 'path' => '/\'";--\\x41\\', 'agent' => '{"payload": 1}']),
        ];

        // A text of PostgreSQL cannot hold NUL, whether it was buffered or inserted at once.
        return $database === WorkbenchDatabase::PostgreSql
            ? $events
            : [...$events, WorkbenchEvent::json(['id' => 'nul', 'agent' => "a\0b"])];
    }

    /** Raw bytes in a failure would garble the terminal. */
    private function hex(mixed $value): string
    {
        return is_string($value) ? bin2hex($value) : get_debug_type($value);
    }

    /**
     * @param list<array<string, mixed>> $rows
     * @return array<array-key, array<string, mixed>>
     */
    private function bySeq(array $rows): array
    {
        $bySeq = [];

        foreach ($rows as $row) {
            $seq = $row['seq'];
            self::assertIsString($seq);
            self::assertArrayNotHasKey($seq, $bySeq, "The row {$seq} is there twice.");
            $bySeq[$seq] = $row;
        }

        ksort($bySeq);

        return $bySeq;
    }
}
