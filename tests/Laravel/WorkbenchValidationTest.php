<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class WorkbenchValidationTest extends TestCase
{
    private WorkbenchApplication $workbench;

    protected function setUp(): void
    {
        $this->workbench = WorkbenchApplication::boot()->migrate();
    }

    protected function tearDown(): void
    {
        $this->workbench->shut();
    }

    /** @return array<string, array{string, array<string, mixed>}> the field at fault, the change that makes it so */
    public static function badInput(): array
    {
        return [
            'no id' => ['id', ['id' => null]],
            'id is a number' => ['id', ['id' => 7]],
            'id too long' => ['id', ['id' => str_repeat('x', 65)]],
            'not an address' => ['ip', ['ip' => '192.0.2.300']],
            'day that does not exist' => ['time', ['time' => '2015-02-30 10:05:03']],
            'time of the log instead of UTC' => ['time', ['time' => '17/May/2015:10:05:03 +0000']],
            'method in small letters' => ['method', ['method' => 'get']],
            'path is a list' => ['path', ['path' => ['/a', '/b']]],
            'empty path' => ['path', ['path' => '']],
            'path too long' => ['path', ['path' => '/'.str_repeat('x', 2048)]],
            'status that HTTP does not have' => ['status', ['status' => 99]],
            'status is no number' => ['status', ['status' => 'OK']],
            'negative bytes' => ['bytes', ['bytes' => -1]],
            'referer is a map' => ['referer', ['referer' => ['url' => '/']]],
            'agent too long' => ['agent', ['agent' => str_repeat('x', 1025)]],
        ];
    }

    /** @param array<string, mixed> $change */
    #[Test, Group('day-3')]
    #[DataProvider('badInput')]
    public function bad_input_is_refused_by_all_endpoints_with_the_same_words(string $field, array $change): void
    {
        $answers = [];

        foreach (['none', 'sync', 'buffered'] as $endpoint) {
            $response = $this->workbench->postJson("/events/{$endpoint}", WorkbenchEvent::json($change));

            self::assertSame(422, $response->getStatusCode());
            $answers[] = $response->getContent();
        }

        self::assertCount(1, array_unique($answers));
        self::assertSame([$field], $this->fieldsAtFault((string) $answers[0]));
        $this->assertNothingWasTaken();
    }

    #[Test]
    public function a_form_that_names_no_accept_header_gets_its_refusal_as_json(): void
    {
        $response = $this->workbench->postForm(
            '/events/sync',
            WorkbenchEvent::form(['status' => '200', 'time' => '2015-05-17 10:05:03', 'ip' => '?']),
        );

        self::assertSame(422, $response->getStatusCode());
        self::assertSame(['ip'], $this->fieldsAtFault((string) $response->getContent()));
    }

    #[Test]
    public function the_binary_endpoint_counts_bytes_and_not_characters(): void
    {
        $fits = $this->workbench->postForm(
            '/events/buffered-binary',
            WorkbenchEvent::form(['path' => str_repeat('é', 1024)]),
        );
        $tooLong = $this->workbench->postForm(
            '/events/buffered-binary',
            WorkbenchEvent::form(['path' => str_repeat('é', 1025)]),
        );

        self::assertSame(202, $fits->getStatusCode());
        self::assertSame(422, $tooLong->getStatusCode());
        self::assertSame(['path'], $this->fieldsAtFault((string) $tooLong->getContent()));
    }

    #[Test]
    public function a_body_that_is_no_json_is_refused(): void
    {
        $response = $this->workbench->postRaw('/events/buffered', 'application/json', '{"id": "1", ');

        self::assertSame(422, $response->getStatusCode());
        $this->assertNothingWasTaken();
    }

    private function assertNothingWasTaken(): void
    {
        $this->workbench->artisan('spool:flush', ['bucket' => 'page-views']);

        self::assertSame([], $this->workbench->rows('page_views'));
    }

    /** @return list<array-key> */
    private function fieldsAtFault(string $answer): array
    {
        $decoded = json_decode($answer, true, flags: JSON_THROW_ON_ERROR);

        self::assertIsArray($decoded);
        self::assertIsArray($decoded['errors'] ?? null);

        return array_keys($decoded['errors']);
    }
}
