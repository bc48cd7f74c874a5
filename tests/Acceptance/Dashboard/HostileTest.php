<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Names, keys, rows and messages that a stranger has written stay text in every view.
 */
final class HostileTest extends TestCase
{
    private const PARTS = [
        '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '"><svg onload=alert(1)>',
        '</title><script>alert(1)</script>',
        'javascript:alert(1)', '{{constructor.constructor("alert(1)")()}}', '${alert(1)}',
        '<iframe srcdoc="<script>parent.alert(1)</script>">',
        "' onmouseover='alert(1)", '<a href="javascript:alert(1)">x</a>', '</script><script>alert(1)//',
        '<style>*{display:none}</style>',
        '<img src="http://203.0.113.7/x.png">', '<link rel=stylesheet href=http://203.0.113.7/x.css>',
        "\u{202e}\u{2066}txt", '{name|x}', '`rm -rf /` now',
        '__proto__', 'constructor', '%s%n', "\u{0}\u{7}\u{1b}[31m", '&lt;b&gt;', '<!--', ']]>', '../../../etc',
        '#/machine?x=', '<base href=http://203.0.113.7/>',
    ];

    private Randomizer $random;

    protected function setUp(): void
    {
        $this->random = new Randomizer(new Mt19937(Sample::seed()));
    }

    #[Test]
    public function nothing_that_a_stranger_has_written_is_executed(): void
    {
        $name = $this->text();
        $fragment = rawurlencode($name);
        $open = ['click' => '.view:not([hidden]) button.unfold'];
        $seen = DashboardBrowser::look([
            ['await' => '.chart canvas'], ['text' => 'machine-1'], ['hover' => '.chart'], ['see' => 'now'],
            [
                'goto' => "#/buckets/{$fragment}",
            ], ['await' => '.view:not([hidden]) .chart canvas'], ['text' => 'setting-1'], ['see' => 'bucket'],
            ['click' => 'button.act >> text=Pause'], ['await' => 'dialog[open]'], ['see' => 'pause'],
            ['press' => 'Escape'],
            ['goto' => "#/dead/{$fragment}"], ['await' => '.view:not([hidden]) button.unfold'], $open,
            ['see' => 'dead'],
            ['click' => 'td.act button'], ['await' => 'dialog[open]'], ['see' => 'retry'], ['press' => 'Escape'],
            ['goto' => "#/events/{$fragment}"], ['await' => '.view:not([hidden]) button.unfold'], $open,
            ['see' => 'events'],
            ['goto' => '#/machine'], ['text' => 'collector-1'], ['await' => '.finding'],
            ['click' => 'details summary >> nth=-1'], ['see' => 'machine'],
        ], $this->server($name));

        self::assertCount(7, $seen['states']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_hostile_address_shows_the_name_as_text(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'no bucket of this name'], ['see' => 'bucket'],
            ['goto' => '#/dead/'.rawurlencode(self::PARTS[1]).'?search=%3Cscript%3E'], ['text' => 'has no bucket'],
            ['see' => 'dead'],
        ], at: '#/buckets/'.rawurlencode(self::PARTS[1]));

        self::assertSame(self::PARTS[1], $seen['states']['bucket']['heading']);

        foreach ($seen['states'] as $state) {
            self::assertSame([0, 0, 0], [$state['hit'], $state['foreign'], $state['inline']]);
        }

        self::assertSame([], $seen['elsewhere']);
        self::assertSame(
            [],
            array_filter($seen['errors'], static fn (string $error): bool => ! str_contains($error, '404')),
        );
    }

    #[Test]
    #[TestWith([1_280])]
    #[TestWith([390])]
    public function a_value_without_spaces_hides_no_column_and_cuts_no_character(int $width): void
    {
        $event = ['x' => str_repeat("\u{1F680}", 200), 'long' => str_repeat('x', 5_000)];
        $letter = [
            'id' => 'id-1', 'event_id' => str_repeat('e', 300), 'accepted_at' => null, 'died_at' => null,
            'sink' => 'database', 'reason' => str_repeat('r', 2_000), 'kind' => 'k', 'corrupt' => false,
            'event' => $event,
        ];
        $seen = DashboardBrowser::look([
            ['goto' => '#/events/api-events'], ['click' => '.view:not([hidden]) button.unfold'], ['see' => 'events'],
            ['goto' => '#/dead/api-events'], ['click' => '.view:not([hidden]) button.unfold'], ['see' => 'dead'],
        ], [
            'letters' => [$letter], 'kinds' => [['kind' => 'k', 'reason' => str_repeat('r', 300), 'letters' => 1]],
            'events' => [[
                'place' => '1', 'id' => str_repeat('e', 300), 'state' => 'sealed', 'accepted_at' => null,
                'age_seconds' => 1, 'values' => $event, 'error' => null,
            ]],
        ], width: $width);

        foreach ($seen['states'] as $state) {
            self::assertSame([0, [], []], [$state['overflow'], $state['outside'], $state['sideways']]);
        }

        $preview = $seen['states']['events']['tables']['Events waiting'][0][3];
        self::assertSame('x: '.str_repeat("\u{1F680}", 78).' …', $preview);
        self::assertLessThan(200, mb_strlen($seen['states']['dead']['tables']['Dead letters'][0][1]));
        DashboardBrowser::assertNothingWrong($seen);
    }

    private function text(string $start = ''): string
    {
        $parts = array_map(
            fn (): string => self::PARTS[$this->random->getInt(0, count(self::PARTS) - 1)],
            range(1, $this->random->getInt(2, 5)),
        );

        return $start.implode($this->random->getInt(0, 1) === 0 ? ' ' : '', $parts);
    }

    /** @return array<string, mixed> */
    private function server(string $name): array
    {
        $letters = array_map(fn (int $n): array => [
            'id' => $this->text("id-{$n}"), 'event_id' => $this->text(), 'accepted_at' => $this->text(),
            'died_at' => $this->text(),
            'sink' => $this->text(), 'reason' => $this->text(), 'kind' => $this->text(), 'corrupt' => $n === 2,
            'event' => $n === 2 ? $this->text() : [$this->text() => $this->text(), $this->text() => [$this->text()]],
        ], range(1, 3));
        $finding = [
            'id' => $this->text(), 'title' => $this->text(), 'severity' => $this->text(), 'layer' => $this->text(),
            'status' => 'fail',
            'subject' => $this->text(), 'message' => $this->text(), 'consequence' => $this->text(),
            'confidence' => $this->text(),
            'evidence' => [['what' => $this->text(), 'value' => $this->text(), 'source' => $this->text()]],
            'minutes' => 1,
            'fix' => [
                'text' => $this->text(), 'commands' => [$this->text()], 'rollback' => $this->text(),
                'verify' => $this->text(),
                'edits' => [['file' => $this->text(), 'line' => 3, 'old' => $this->text(), 'new' => $this->text()]],
            ],
            'sources' => [$this->text()],
        ];

        return [
            'name' => $this->text(), 'environment' => $this->text(),
            'buckets' => [$this->bucket($name), $this->bucket($this->text())],
            'alerts' => [[
                'cause' => $this->text(),
                'title' => $this->text(),
                'subject' => $this->text(),
                'message' => $this->text(),
                'fix' => $this->text(),
                'bucket' => $name,
            ]],
            'nodes' => [[
                'node' => $this->text(), 'host' => $this->text('machine-1'), 'pid' => 1, 'path' => $this->text(),
                'seen_seconds' => 1, 'silent' => false,
                'pending' => 1, 'oldest_seconds' => 1, 'dead' => 0, 'dropped' => 0, 'troubled' => 1,
                'buckets' => [$this->text() => ['trouble' => $this->text()]], 'this' => true,
            ]],
            'letters' => $letters,
            'kinds' => [['kind' => $letters[0]['kind'], 'reason' => $this->text(), 'letters' => 1]],
            'events' => [[
                'place' => $this->text(),
                'id' => $this->text(),
                'state' => $this->text(),
                'accepted_at' => $this->text(),
                'age_seconds' => 1,
                'values' => [$this->text() => $this->text()],
                'error' => null,
            ]],
            'settings' => [['name' => $this->text('setting-1'), 'value' => $this->text(), 'is_default' => false]],
            'failures' => [['at' => $this->text(), 'message' => $this->text(), 'times' => 1]],
            'machine' => [
                'collectors' => [[
                    'bucket' => $this->text('collector-1'),
                    'listen' => $this->text(),
                    'workers' => 1,
                    'connections' => 1,
                    'accepted_total' => 1,
                    'rejected_total' => 1,
                    'requests_total' => 1,
                    'memory_bytes' => 1,
                    'started_at' => $this->text(),
                ]],
                'queues' => [[
                    'connection' => $this->text(),
                    'queue' => $this->text(),
                    'pending' => 1,
                    'delayed' => null,
                    'reserved' => null,
                    'failed' => null,
                    'error' => $this->text(),
                ]],
            ],
            'doctor' => [
                'state' => 'done', 'started_at' => 1, 'finished_at' => 2, 'detail' => $this->text(),
                'report' => [
                    'counts' => ['fail' => 1],
                    'findings' => [$finding],
                    'looked_for' => [[
                        'what' => $this->text(),
                        'status' => $this->text(),
                        'where' => $this->text(),
                        'why' => $this->text(),
                        'more' => [],
                    ]],
                ],
            ],
        ];
    }

    /** @return array<string, mixed> */
    private function bucket(string $name): array
    {
        return [
            'bucket' => $name, 'sink' => $this->text(), 'store' => $this->text(), 'state' => $this->text(),
            'accepted' => 12, 'delivered' => 12,
            'dead' => 3, 'dropped' => 0, 'pending' => 1, 'missing' => 0, 'letters' => 3, 'oldest_seconds' => 1,
            'in_per_second' => 1,
            'out_per_second' => 1, 'flushed_seconds' => 1, 'used_bytes' => 0, 'max_bytes' => null,
            'durability' => $this->text(), 'paused' => null,
            'problems' => [['message' => $this->text(), 'fix' => $this->text(), 'severity' => $this->text()]],
        ];
    }
}
