<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Core;

use Headroom\Core\Finding;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FindingTest extends TestCase
{
    #[Test]
    public function its_members_in_json_are_those_that_spool_health_has_always_printed(): void
    {
        self::assertSame(
            '{"subject":"bucket x","message":"It is paused.","mend":"Resume it.","fatal":false}',
            json_encode(new Finding('bucket x', 'It is paused.', 'Resume it.', false)),
        );
    }

    #[Test]
    public function another_subject_changes_nothing_else(): void
    {
        self::assertEquals(
            new Finding('bucket x, redis', 'It is away.', 'Start it.', false),
            (new Finding('redis', 'It is away.', 'Start it.', false))->about('bucket x, redis'),
        );
    }
}
