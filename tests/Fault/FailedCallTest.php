<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\Scenario;
use Headroom\Tests\Fault\Support\Spawner;
use Headroom\Tests\Fault\Support\Strace;
use Headroom\Tests\Fault\Support\SystemCall;
use Headroom\Tests\Fault\Support\Trial;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * One system call that fails, and the words for it. DiskFaultTest lets all of them fail.
 */
final class FailedCallTest extends TestCase
{
    private Spawner $spawner;

    protected function setUp(): void
    {
        Strace::orSkip();
        $this->spawner = Spawner::start();
    }

    protected function tearDown(): void
    {
        if (isset($this->spawner)) {
            $this->spawner->stop();
        }
    }

    #[Test, Group('day-2')]
    #[TestWith(['active'])]
    #[TestWith(['sealed'])]
    #[TestWith(['completed'])]
    public function a_directory_that_cannot_be_listed_stops_the_bucket(string $directory): void
    {
        foreach ($this->calls(
            Scenario::FileFlush,
            'openat',
            "/{$directory}\", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY",
        ) as $call) {
            foreach ($this->failureOf(Scenario::FileFlush, $call, 'EMFILE') as $why) {
                Sentence::assertIn(
                    StorageUnavailable::class.': '
                        .StorageUnavailable::notListed("*/{$directory}", 'Too many open files', Sentence::ANY)
                            ->getMessage(),
                    $why,
                );
            }
        }
    }

    #[Test, Group('day-3')]
    #[TestWith([Scenario::NoRoom])]
    #[TestWith([Scenario::NoRoomKept])]
    public function a_part_that_cannot_be_cut_off_is_told_and_skipped_by_readers(Scenario $scenario): void
    {
        foreach ($this->calls($scenario, 'ftruncate', '.log') as $call) {
            Sentence::assertIn(
                UnableToAppend::notTruncated(Sentence::ANY, Sentence::NUMBER, Sentence::NUMBER),
                implode($this->failureOf($scenario, $call, 'EIO')),
            );
        }
    }

    /** @return non-empty-list<SystemCall> */
    private function calls(Scenario $scenario, string $name, string $text): array
    {
        $trial = Trial::of($scenario, $this->spawner);
        $calls = array_filter(
            $trial->trace($scenario),
            static fn (SystemCall $call): bool => $call->name === $name && str_contains($call->text, $text),
        );
        $trial->end();
        self::assertNotSame([], $calls);

        return array_values($calls);
    }

    /** @return non-empty-list<string> why */
    private function failureOf(Scenario $scenario, SystemCall $call, string $error): array
    {
        $trial = Trial::of($scenario, $this->spawner);

        try {
            $why = $trial->fail($scenario, $call, $error)->said('why');
            $trial->assertWhole();
        } finally {
            $trial->end();
        }

        self::assertNotSame([], $why, $call->inWords());

        return $why;
    }
}
