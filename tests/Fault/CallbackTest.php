<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Closure;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\HandedOver;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * Events that a callback takes, while processes die in it: at least once, and the same range again. The bucket is
 * undeclared.
 */
final class CallbackTest extends FaultTestCase
{
    #[Test]
    public function after_a_kill_in_the_callback_the_same_range_comes_again(): void
    {
        $this->world->append(['a', 'b'], 'own');
        $this->flushing('take', ['callback.handed' => Act::Kill])->awaitKilled();
        [[$delivery, $file]] = HandedOver::handed($this->world);
        self::assertFileExists($file);
        $this->world->append(['c'], 'own');

        self::assertTrue($this->answer('take'));
        $calls = HandedOver::handed($this->world);
        self::assertSame([['a', 'b'], ['a', 'b'], ['c']], array_column($calls, 2));
        self::assertSame($delivery, $calls[1][0], 'The same id for the same range.');
        self::assertFileDoesNotExist($file);
        $this->assertAccounts(accepted: 3, delivered: 3, pending: 0, bucket: 'own');
    }

    #[Test]
    public function exit_in_the_callback_takes_nothing_and_leaves_no_file(): void
    {
        $this->world->append(['a', 'b'], 'own');
        $ended = '';

        try {
            $this->flushing('exit')->result();
        } catch (RuntimeException $e) {
            $ended = $e->getMessage();
        }

        self::assertStringContainsString('It ended with 0.', $ended);
        [[, $file]] = HandedOver::handed($this->world);

        self::assertFileDoesNotExist($file);
        $this->assertAccounts(accepted: 2, delivered: 0, pending: 2, bucket: 'own');
        self::assertTrue($this->answer('take'));
        self::assertSame([['a', 'b'], ['a', 'b']], array_column(HandedOver::handed($this->world), 2));
    }

    #[Test]
    public function events_that_a_callback_leaves_in_an_open_transaction_are_not_delivered(): void
    {
        $this->world->append(['a', 'b'], 'own');
        $buffer = new CallbackBuffer($this->world->runtime());
        $taking = fn (bool $commits): Closure => function (iterable $rows) use ($commits): bool {
            $this->world->database()->beginTransaction();
            $this->world->database()->table('events')->insert([...$rows]);

            if ($commits) {
                $this->world->database()->commit();
            }

            return true;
        };

        try {
            self::assertFalse($buffer->flush($taking(false), 'own'), 'It was taken.');
        } catch (UnableToDeliver) {
            $this->assertAccounts(accepted: 2, delivered: 0, pending: 2, bucket: 'own');
        }

        self::assertTrue($buffer->flush($taking(true), 'own'));
        self::assertSame(['a', 'b'], $this->world->rows());
    }

    #[Test]
    public function a_second_call_during_the_first_hands_nothing_over_and_returns_false(): void
    {
        $this->world->append(['a', 'b'], 'own');
        $first = $this->flushing('take', ['callback.handed' => Act::Stop]);
        $first->awaitStopped('callback.handed');

        self::assertFalse($this->answer('take'));
        self::assertCount(1, HandedOver::handed($this->world));
        self::assertSame([], $this->world->logged(), 'That is no failure.');
        $first->resume();
        self::assertTrue($first->result()['answer']);
        self::assertTrue($this->answer('take'));
        self::assertCount(1, HandedOver::handed($this->world));
    }

    #[Test]
    #[TestWith(['delete'])]
    #[TestWith(['modify'])]
    public function a_callback_may_delete_or_change_its_file(string $what): void
    {
        $this->world->append(['a', 'b'], 'own');

        self::assertTrue($this->answer($what));
        self::assertFileDoesNotExist(HandedOver::handed($this->world)[0][1]);
        $this->assertAccounts(accepted: 2, delivered: 2, pending: 0, bucket: 'own');
    }

    #[Test]
    public function a_refusal_is_logged_once_and_each_call_hands_over_the_same_range(): void
    {
        $this->world->append(['a'], 'own');

        self::assertFalse($this->answer('refuse'));
        $this->world->append(['b'], 'own');
        self::assertFalse($this->answer('refuse'));
        self::assertSame([['a'], ['a']], array_column(HandedOver::handed($this->world), 2));
        self::assertCount(1, $this->world->logged());
        self::assertMatchesRegularExpression("/^error: .*'own'.*\b1\b/", $this->world->logged()[0]);
        self::assertTrue($this->answer('take'));
        self::assertSame([['a'], ['a'], ['a'], ['b']], array_column(HandedOver::handed($this->world), 2));
    }

    private function answer(string $end): mixed
    {
        return $this->flushing($end)->result()['answer'];
    }

    /** @param array<string, Act> $points */
    private function flushing(string $end, array $points = []): Child
    {
        return $this->child('flush by callback', ['own', $end], $points);
    }
}
