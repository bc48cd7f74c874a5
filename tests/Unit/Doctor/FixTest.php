<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FixTest extends TestCase
{
    #[Test]
    public function commands_follow_from_the_changes_once_and_in_order(): void
    {
        $fix = new Fix('Do it.', [
            Edit::insert('/etc/b', 1, 'b')->effectiveAfter('reload b'),
            Edit::insert('/etc/a', 1, 'a')->effectiveAfter('reload a'),
            (new ManualChange('Change c.'))->effectiveAfter('reload a'),
            Edit::insert('/etc/b', 2, 'b')->effectiveAfter('reload b'),
            Edit::insert('/etc/d', 1, 'd'),
        ], ['look', 'reload a']);

        self::assertSame(['reload b', 'reload a', 'look'], $fix->commands);
        self::assertSame(
            ['/etc/a', '/etc/b', '/etc/b', '/etc/d'],
            array_map(static fn (Edit $edit): string => $edit->file, $fix->edits),
        );
        self::assertSame('Do it. Change c.', $fix->text);
        self::assertNotSame('', $fix->rollback);
    }

    #[Test]
    public function a_fix_without_changes_has_no_undo_of_its_own(): void
    {
        self::assertSame('', (new Fix('Do it.', commands: ['now']))->rollback);
        self::assertSame('Back.', (new Fix('Do it.', [new ManualChange('x')], rollback: 'Back.'))->rollback);
        self::assertNotSame(
            (new Fix('Do it.', [Edit::append('/a', 'a')]))->rollback,
            (new Fix('Do it.', [Edit::append('/a', 'a')->effectiveAfter('reload')]))->rollback,
        );
    }

    #[Test]
    public function a_fix_without_a_text_of_its_own_has_the_advice(): void
    {
        $typed = static fn (Fix $fix): string
            => $fix->withUserCommands('', static fn (string $text): string => $text, 'Do it.')->text;

        self::assertSame('Do it.', $typed(new Fix(commands: ['now'])));
        self::assertSame('Do it. Change c.', $typed(new Fix(changes: [new ManualChange('Change c.')])));
        self::assertSame('Do that.', $typed(new Fix('Do that.')));
        self::assertSame('Do it. Change d.', $typed((new Fix)->with([new ManualChange('Change d.')])));
    }

    #[Test]
    public function more_changes_come_after_those_of_the_fix_with_their_undo(): void
    {
        $fix = (new Fix('Do it.', commands: ['now']))->with([Edit::append('/a', 'a')], ['then']);

        self::assertSame(['now', 'then'], $fix->commands);
        self::assertStringStartsWith('Restore', $fix->rollback);
        self::assertSame('Back.', (new Fix(rollback: 'Back.'))->with([Edit::append('/a', 'a')])->rollback);
        $both = $fix->and(new Fix(changes: [new ManualChange('Change c.')], commands: ['last']));
        self::assertSame(['Do it. Change c.', ['now', 'then', 'last']], [$both->text, $both->commands]);
    }

    #[Test]
    public function a_fix_after_changes_by_hand_has_no_edits_that_would_do_harm_alone(): void
    {
        $fix = new Fix('Do it.', [Edit::append('/b', 'b')]);

        self::assertCount(2, $fix->after([Edit::append('/a', 'a')])->edits);
        $byHand = $fix->after([new ManualChange('Change a first.')]);
        self::assertSame([[], 'Do it. Change a first.'], [$byHand->edits, $byHand->text]);
    }

    #[Test]
    public function typed_commands_are_not_doubled(): void
    {
        $fix = (new Fix('Do it.', [Edit::append('/a', 'a')->effectiveAfter('x')], ['y']))
            ->withUserCommands('again', static fn (string $command): string => strtoupper($command));

        self::assertSame([['X', 'Y'], 'again'], [$fix->commands, $fix->verify]);
        self::assertCount(1, $fix->edits);
        $own = (new Fix('Do it.', verify: 'look'))->withUserCommands('again', strtoupper(...));
        self::assertSame('LOOK', $own->verify);
    }
}
