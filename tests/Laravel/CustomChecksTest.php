<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Doctor\CustomCheck;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The check of docs/doctor.md, as it stands there, in an application.
 */
final class CustomChecksTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        mkdir($this->app->path('app/Doctor'));
        $this->app->write('app/Doctor/MailTimeout.php', self::example());
        $this->app->config('headroom', "['doctor' => ['checks' => [App\\Doctor\\MailTimeout::class]]]");
    }

    #[Test]
    public function the_check_of_the_guide_is_asked_and_has_what_the_others_have(): void
    {
        $this->app->config('mail', "['mailers' => ['smtp' => ['transport' => 'smtp', 'timeout' => null]]]");
        self::assertSame([['APP1', 'warn']], $this->said($this->doctor('--json', '--only=APP1'), 1));
        self::assertStringStartsWith('# APP1: ', $this->doctor('--explain=APP1')->out);
        self::assertSame(0, $this->doctor('--only=APP1', '--ignore=APP1')->exit);

        $this->app->config('mail', "['mailers' => ['smtp' => ['transport' => 'smtp', 'timeout' => 5]]]");
        self::assertSame([['APP1', 'pass']], $this->said($this->doctor('--json', '--only=APP1'), 0));
    }

    #[Test]
    public function one_that_fails_is_crashed_and_stops_no_other(): void
    {
        $this->app->write(
            'app/Doctor/MailTimeout.php',
            str_replace(
                '        $seconds = ',
                "        throw new \\LogicException('oh');\n        \$seconds = ",
                self::example(),
            ),
        );
        $doctor = $this->doctor('--json', '--only=APP1,L4');
        $said = $this->said($doctor, 0);

        self::assertSame(['APP1', 'crashed'], $said[0]);
        self::assertStringContainsString('"LogicException: oh (', $doctor->out);
        self::assertSame('L4', $said[1][0]);
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function wrong(): iterable
    {
        $first = 'headroom.doctor.checks.0';
        yield 'no list' => ["'App\\Doctor\\MailTimeout'", ['headroom.doctor.checks', "'App\Doctor\MailTimeout'"]];
        yield 'no class' => ["['App\\Doctor\\Missing']", [$first, "'App\Doctor\Missing'", CustomCheck::class]];
        yield 'no check' => ['[App\OpenSlots::class]', [$first, "'App\OpenSlots'", CustomCheck::class]];
        yield 'one twice' => ['[App\Doctor\MailTimeout::class, App\Doctor\MailTimeout::class]', ["'APP1'", 'APP1']];
    }

    /** @param list<string> $names */
    #[Test, Group('day-2')]
    #[DataProvider('wrong')]
    public function a_wrong_check_is_a_wrong_configuration_for_the_doctor_only(string $checks, array $names): void
    {
        $this->app->config('headroom', "['doctor' => ['checks' => {$checks}]]");
        $outcome = $this->doctor('--only=L4');

        self::assertSame(1, $outcome->exit);
        Sentence::assertNames($names, $outcome->all());
        self::assertSame(0, $this->app->artisan('list')->exit);
    }

    #[Test]
    public function an_id_of_this_package_is_not_taken(): void
    {
        $this->app->write('app/Doctor/MailTimeout.php', str_replace("'APP1'", "'N5'", self::example()));
        $outcome = $this->doctor('--only=L4');

        self::assertSame(1, $outcome->exit);
        Sentence::assertNames(["'N5'", 'APP1'], $outcome->all());
    }

    private function doctor(string ...$options): Outcome
    {
        return $this->app->artisan('headroom:doctor', ...array_values($options));
    }

    /** @return list<array{string, string}> the ids and their states */
    private function said(Outcome $outcome, int $exit): array
    {
        self::assertSame($exit, $outcome->exit, $outcome->all());
        /** @var array{findings: list<array{id: string, status: string}>} $read */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);

        return array_map(static fn (array $finding): array => [$finding['id'], $finding['status']], $read['findings']);
    }

    private static function example(): string
    {
        self::assertSame(
            1,
            preg_match(
                '~^```php\n(// app/Doctor/MailTimeout\.php.*?)^```$~ms',
                (string) file_get_contents(dirname(__DIR__, 2).'/docs/doctor.md'),
                $code,
            ),
        );

        return "<?php\n\n{$code[1]}";
    }
}
