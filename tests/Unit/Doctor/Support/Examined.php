<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Closure;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use PHPUnit\Framework\Assert;

/**
 * The findings of one check for facts that a test makes.
 */
final readonly class Examined
{
    /** @param array<class-string, Closure(): object> $facts */
    public static function by(string $id, array $facts): Report
    {
        return (new CheckRunner(Checks::only($id)))->run(new Facts($facts));
    }

    /**
     * That one of its findings is a fault and has all parts that a user needs.
     *
     * @param list<string> $shown numbers and names that its message has, each as a whole word
     */
    public static function fires(string $id, array $shown, Report $diagnosis): void
    {
        $problems = $diagnosis->problems();
        Assert::assertCount(1, $problems);
        $finding = $problems[0]->finding;
        Assert::assertSame($id, $problems[0]->check->id);
        self::shows($shown, $finding->message);
        Assert::assertNotSame([], $finding->evidence);
        Assert::assertNotSame('', $finding->consequence);
        Assert::assertNotSame('', $finding->fix?->text);
        // Without a change there is nothing to undo.
        Assert::assertTrue($finding->fix?->edits === [] || $finding->fix?->rollback !== '');
        Assert::assertNotSame('', $finding->fix?->verify);
    }

    /** @param list<string> $shown each as a whole word */
    public static function shows(array $shown, string $message): void
    {
        foreach ($shown as $name) {
            Assert::assertMatchesRegularExpression('/(?<![\w.])'.preg_quote($name, '/').'(?!\w|\.\d)/', $message);
        }
    }

    public static function is(Status $status, Report $diagnosis): void
    {
        foreach ($diagnosis->results as $verdict) {
            Assert::assertSame($status, $verdict->finding->status, $verdict->finding->message);

            // An unknown result has the command that finds out.
            Assert::assertTrue(
                $status !== Status::Unknown || ($verdict->finding->fix->commands ?? []) !== [],
                $verdict->finding->message,
            );
        }
    }
}
