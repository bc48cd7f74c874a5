<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Every example of curl on docs/collector-formats.md, as it stands there.
 */
final class CurlTest extends TestCase
{
    private const UUID = '/[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/';

    #[Test]
    public function each_example_prints_the_documented_answer_and_its_events_are_buffered(): void
    {
        $station = Station::open();
        $ids = [];

        foreach ((new Guide)->commands('curl') as [$command, $printed]) {
            $output = Shell::bash($command, $station->env());
            self::assertJson($output, $command);

            if ($printed !== null) {
                self::assertSame(
                    preg_replace(self::UUID, 'uuid', $printed),
                    preg_replace(self::UUID, 'uuid', $output),
                    $command,
                );
            }

            preg_match_all(self::UUID, $output, $made);
            $ids = [...$ids, ...$made[0]];
        }

        $rows = $station->rows();
        self::assertCount(2, $ids);
        self::assertSame(['o-1', $ids[0], $ids[1], 'p-1', 'p-2', 'o-2', 'c-1'], array_keys($rows));
        self::assertSame(
            [
                'order.placed', 'page.viewed', 'page.viewed', 'page.viewed', 'page.viewed', 'order.placed',
                'order.placed',
            ],
            array_column($rows, 'type'),
        );
        self::assertSame(
            [['path' => '/'], ['path' => '/cart'], ['total' => 7]],
            [$rows[$ids[0]]['data'], $rows[$ids[1]]['data'], $rows['c-1']['data']],
        );
        self::assertSame(['web', '/shop'], [$rows['o-1']['source'], $rows['c-1']['source']]);
        self::assertSame(
            ['2026-07-14T03:33:20.500000+00:00', 'customer/7'],
            [$rows['o-1']['time'], $rows['o-1']['subject']],
        );
        self::assertStringContainsString('"data":{"total": 19.90, "items": []},', $station->lines()[0]);
    }

    #[Test]
    public function the_import_that_is_sent_twice_has_the_same_ids(): void
    {
        $station = Station::open();
        $imports = array_values(array_filter(
            (new Guide)->commands('curl'),
            static fn (array $command): bool => str_contains($command[0], 'Idempotency-Key'),
        ));
        self::assertCount(1, $imports);

        self::assertSame(Shell::bash($imports[0][0], $station->env()), Shell::bash($imports[0][0], $station->env()));
    }

    #[Test]
    public function the_first_event_arrives_as_the_page_says(): void
    {
        $station = Station::open();
        $guide = new Guide;
        $section = $guide->commands('The first event');
        self::assertSame("headroom collect\n", $section[0][0]);
        [$create, $curl] = explode("\n", $section[1][0], 2);
        self::assertSame(1, preg_match('/^headroom (collect:key) (create) (shop)$/', $create, $words));
        [$exit, $output] = $station->collector->command($words[1], $words[2], $words[3]);
        self::assertSame([0, 1], [$exit, preg_match('/^  (hrk_\S+)$/m', $output, $key)]);

        $command = str_replace(['PASTE_THE_KEY', 'http://127.0.0.1:8080'], [$key[1] ?? '', $station->url()], $curl);
        // The worker looks at the keys once a second.
        $station->collector->waitFor(static fn (): bool => preg_replace(
            self::UUID,
            'uuid',
            Shell::bash($command, []),
        ) === preg_replace(self::UUID, 'uuid', (string) $section[1][1]));
        self::assertSame(
            ['shop', 'order.placed', ['total' => 19.9]],
            [$station->row()['source'], $station->row()['type'], $station->row()['data']],
        );
    }

    #[Test]
    public function each_command_for_keys_is_one(): void
    {
        $station = Station::open();
        $commands = explode("\n", trim((new Guide)->commands('Create keys')[0][0]));

        foreach ($commands as $command) {
            self::assertStringStartsWith('headroom collect:key ', $command);
            $words = array_map(
                strval(...),
                str_getcsv(str_replace("'", '"', substr($command, strlen('headroom '))), ' ', escape: ''),
            );
            [$exit, $output] = $station->collector->command(...$words);
            self::assertSame(0, $exit, $output);
        }

        self::assertMatchesRegularExpression(
            '~page\.\*.*https://shop\.example\.com.*\b100\b~',
            $station->collector->command('collect:key', 'list')[1],
        );
    }

    #[Test]
    public function the_load_that_the_page_puts_on_it_arrives(): void
    {
        $station = Station::open();
        $command = str_replace(
            'headroom load',
            PHP_BINARY.' bin/headroom load',
            (new Guide)->commands('Measure your own')[0][0],
        );
        Shell::bash($command, $station->env());

        self::assertCount(500, $station->rows());
    }
}
