<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Status;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FindingTest extends TestCase
{
    #[Test]
    public function a_fact_that_cannot_be_read_makes_only_its_own_finding_unknown(): void
    {
        $pass = Finding::pass('well');
        $unknown = Finding::from(static fn (): Finding => throw FactUnavailable::because('Unread.', 'look'));

        self::assertSame($pass, Finding::from(static fn (): Finding => $pass));
        self::assertSame([Status::Unknown, 'Unread.'], [$unknown->status, $unknown->message]);
        self::assertSame(['look'], $unknown->fix?->commands);
    }

    #[Test]
    public function nothing_else_is_taken_for_unknown(): void
    {
        $this->expectException(NotApplicable::class);

        Finding::from(static fn (): Finding => throw NotApplicable::of('nothing here'));
    }
}
