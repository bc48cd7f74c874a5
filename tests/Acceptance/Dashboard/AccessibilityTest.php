<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Each view on a desk and on a phone, in light and in dark, with axe-core and with the keyboard alone.
 */
final class AccessibilityTest extends TestCase
{
    #[Test]
    #[TestWith([1280, false, 'rgb(246, 247, 249)'])]
    #[TestWith([1280, true, 'rgb(18, 21, 27)'])]
    #[TestWith([390, false, 'rgb(246, 247, 249)'])]
    #[TestWith([390, true, 'rgb(18, 21, 27)'])]
    public function every_view_passes_axe_and_fits(int $width, bool $dark, string $background): void
    {
        $steps = [];

        foreach (DashboardBrowser::VIEWS as $name => [$fragment, $text]) {
            $open = in_array($name, ['dead', 'events'], true) ? [['click' => '.view:not([hidden]) button.unfold']] : [];
            array_push($steps, ['goto' => $fragment], ['text' => $text], ...$open);
            array_push($steps, ['pause' => 0.4], ['axe' => $name], ['see' => $name]);
        }

        array_push($steps, ['goto' => '#/dead/api-events'], ['text' => '37 of 37'], ['click' => 'td.act button']);
        array_push($steps, ['await' => 'dialog[open]'], ['axe' => 'dialog'], ['press' => 'Escape']);
        array_push($steps, ['server' => ['down' => true]], ['await' => '#problem:not([hidden])'], ['axe' => 'down']);
        $seen = DashboardBrowser::look($steps, width: $width, dark: $dark);

        foreach ($seen['axe'] as $name => $axe) {
            self::assertSame([], $axe['violations'], $name);
            self::assertGreaterThan(10, $axe['passes'], $name);
        }

        self::assertCount(count(DashboardBrowser::VIEWS) + 2, $seen['axe']);

        foreach ($seen['states'] as $name => $state) {
            self::assertSame(
                [$background, 0, []],
                [$state['background'], $state['overflow'], $state['outside']],
                $name,
            );
            self::assertSame([], self::skippedHeadings($state['headings']), $name);
        }
    }

    #[Test]
    public function the_keyboard_reaches_every_part_and_the_focus_is_seen(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'web-3'], ['await' => '.chart canvas'], ['walk' => 'now', 'keys' => 24],
            ['goto' => '#/dead/api-events'], ['text' => '37 of 37'], ['see' => 'dead'],
            ['walk' => 'dead', 'keys' => 14],
        ]);
        ['now' => $now, 'dead' => $dead] = $seen['walks'];

        self::assertSame(
            ['a To the content', 'a Headroom', 'a Now', 'a Dead letters 37', 'a Events waiting', 'a Machine'],
            array_column(array_slice($now, 0, 6), 'name'),
        );
        self::assertContains('a activity', array_column($now, 'name'));
        self::assertContains('button Copy php artisan spool:flush api-events', array_column($now, 'name'));
        // A view that opens takes the focus to its heading, and the walk goes on from there.
        self::assertSame('h1 Dead letters', $seen['states']['dead']['focus']);
        self::assertStringStartsWith('select', $dead[0]['name']);
        self::assertSame([], array_filter([...$now, ...$dead], static fn (array $stop): bool => ! $stop['isSeen']));
    }

    #[Test]
    public function the_skip_link_and_a_whole_action_need_no_mouse(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['press' => 'Tab'], ['press' => 'Enter'], ['see' => 'skipped'],
            ['focus' => 'td.act button'], ['press' => 'Enter'], ['await' => 'dialog[open]'],
            ['walk' => 'dialog', 'keys' => 4],
            ['focus' => 'dialog button.main'], ['press' => 'Enter'], ['text' => 'Retried 30 dead letters'],
            ['see' => 'done'],
        ], at: '#/dead/api-events');

        self::assertSame(
            ['h1 Dead letters', '#/dead/api-events'],
            [$seen['states']['skipped']['focus'], $seen['states']['skipped']['hash']],
        );
        // Beside the buttons of the dialog only the browser's own controls are reached.
        self::assertSame(
            ['button Cancel', 'button Retry 30'],
            array_values(array_unique(self::sorted(array_column(
                array_filter($seen['walks']['dialog'], static fn (array $stop): bool => $stop['isInDialog']),
                'name',
            )))),
        );
        DashboardBrowser::assertNothingWrong($seen);
    }

    /**
     * @param list<string> $headings
     * @return list<string>
     */
    private static function skippedHeadings(array $headings): array
    {
        $before = 0;
        $skipped = [];

        foreach ($headings as $heading) {
            $level = (int) $heading[1];

            if ($level > $before + 1) {
                $skipped[] = $heading;
            }

            $before = $level;
        }

        return $skipped;
    }

    /**
     * @param list<string> $names
     * @return list<string>
     */
    private static function sorted(array $names): array
    {
        sort($names);

        return $names;
    }
}
