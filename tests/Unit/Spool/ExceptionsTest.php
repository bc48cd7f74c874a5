<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Core\Permanent;
use Headroom\Core\Position;
use Headroom\Core\Retryable;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use ReflectionClass;

/**
 * The exception classes of a failed flush, by which code can react without reading the message.
 */
final class ExceptionsTest extends TestCase
{
    private const DIRECTORY = __DIR__.'/../../../src/Spool/Exceptions';

    /** @return iterable<string, array{string}> */
    public static function classes(): iterable
    {
        foreach ((array) glob(self::DIRECTORY.'/*.php') as $file) {
            yield basename(
                (string) $file,
                '.php',
            ) => ['Headroom\\Spool\\Exceptions\\'.basename((string) $file, '.php')];
        }
    }

    #[Test]
    #[DataProvider('classes')]
    public function each_says_whether_to_try_again_or_to_change_something(string $class): void
    {
        self::assertTrue(is_a($class, UnableToFlush::class, true));
        self::assertTrue(is_a($class, Retryable::class, true) xor is_a($class, Permanent::class, true));
        self::assertTrue(class_exists($class) && (new ReflectionClass($class))->isFinal());
    }

    #[Test]
    public function each_has_a_row_in_the_page_on_errors(): void
    {
        $page = (string) file_get_contents(__DIR__.'/../../../docs/errors.md');
        preg_match_all('/^\| (`\w+`(?:, `\w+`)*) \|/m', $page, $rows);
        $named = array_merge(...array_map(
            static fn (string $cell): array => explode(', ', str_replace('`', '', $cell)),
            $rows[1],
        ));

        self::assertEqualsCanonicalizing(array_keys(iterator_to_array(self::classes())), $named);
    }

    #[Test]
    public function a_lock_that_was_replaced_names_the_bucket_of_its_state_file(): void
    {
        $failure = BucketBusy::lockReplaced('/buffer/buckets/orders/state');

        self::assertSame(['orders', '/buffer/buckets/orders/state'], [$failure->bucket, $failure->path]);
    }

    #[Test]
    public function a_mismatch_has_both_positions_and_none_of_a_row_that_is_missing(): void
    {
        $source = new Source(str_repeat('ab', 16), 'orders');
        $here = new Position(2, 40, 0);
        $forked = LedgerMismatch::forked($source->toString(), (new Position(3, 40, 0))->toString(), $here->toString());
        $missing = LedgerMismatch::noRow($source, new Progress($here));

        self::assertSame(
            ['orders', $here->toString(), (new Position(3, 40, 0))->toString()],
            [$forked->bucket, $forked->log, $forked->ledger],
        );
        self::assertSame(['orders', $here->toString(), null], [$missing->bucket, $missing->log, $missing->ledger]);
    }

    #[Test]
    public function a_part_that_was_left_out_has_its_cause(): void
    {
        $cause = StorageUnavailable::notWritten('/buffer/x', 'No space left on device');

        self::assertSame($cause, PartiallyFlushed::segmentsLeftOut($cause, 0)->getPrevious());
        self::assertSame($cause, PartiallyFlushed::notDrained('orders', $cause)->getPrevious());
    }
}
