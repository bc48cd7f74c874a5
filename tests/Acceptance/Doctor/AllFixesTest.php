<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\Planted\AllFaults;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * All faults of configuration that can exist together in nginx, PHP-FPM, Redis, MariaDB and an application, and all
 * that their fixes say
 * done at once: nothing else comes up, and the application answers.
 */
final class AllFixesTest extends TestCase
{
    #[Test]
    #[Group('proof')]
    public function all_fixes_of_a_whole_stack_build_no_other_fault(): void
    {
        Needs::webStack();
        Needs::program('mariadbd', 'mariadb-server', 'mariadb');
        $alone = new Process(['unshare', '--pid', '--net', '--fork', '--mount-proc', 'true']);

        if ($alone->run() !== 0) {
            self::markTestSkipped(
                'This user may not have processes and a network of its own (unshare --pid --net), and the '
                    .'doctor would see other tests\' servers.',
            );
        }

        $run = new Process(
            ['dev/alone.sh', 'bin/services', 'run', 'mariadb', '--', Programs::php(), 'dev/planted-together.php'],
            dirname(__DIR__, 3),
            timeout: 240,
        );
        $run->run();
        self::assertSame(0, $run->getExitCode(), $run->getErrorOutput());
        /** @var array{rounds: non-empty-list<array<string, string>>, serves: bool} $told */
        $told = json_decode((string) strrchr("\n".trim($run->getOutput()), "\n"), true, flags: JSON_THROW_ON_ERROR);
        $ids = array_map(
            static fn (string $key): string => (string) strtok($key, ' '),
            array_keys(array_filter($told['rounds'][0], self::isProblem(...))),
        );

        self::assertSame([], array_diff([...AllFaults::WEB, ...AllFaults::OTHERS], $ids, ['F9']));

        foreach (array_slice($told['rounds'], 1) as $number => $after) {
            $new = array_diff_key(
                array_filter($after, self::isProblem(...)),
                array_filter($told['rounds'][$number], self::isProblem(...)),
            );
            self::assertSame([], $new);
        }

        $left = array_map(
            static fn (string $key): string => (string) strtok($key, ' '),
            array_keys(array_filter($after ?? [], self::isProblem(...))),
        );
        self::assertSame([], array_diff($left, AllFaults::PROSE));
        self::assertTrue($told['serves']);
    }

    private static function isProblem(string $told): bool
    {
        return preg_match('/\A(?:warn|fail):/', $told) === 1;
    }
}
