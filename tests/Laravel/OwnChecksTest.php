<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The check of docs/doctor.md, as it stands there, in an application.
 */
final class OwnChecksTest extends TestCase
{
    private ScratchApplication $app;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
        mkdir($this->app->path('app/Doctor'));
        $this->app->write('app/Doctor/MailTimeout.php', self::example());
        $this->app->config('headroom', "['doctor' => ['checks' => [App\\Doctor\\MailTimeout::class]]]");
    }

    protected function tearDown(): void
    {
        $this->app->remove();
    }

    #[Test]
    public function the_check_of_the_guide_is_asked_and_has_what_the_others_have(): void
    {
        $this->app->config('mail', "['mailers' => ['smtp' => ['transport' => 'smtp', 'timeout' => null]]]");
        self::assertSame([['APP1', 'warn', 'Nothing says when to give a mail server up.']], $this->said($this->doctor('--json', '--only=APP1'), 1));
        self::assertStringStartsWith('# APP1: A mail server that hangs', $this->doctor('--explain=APP1')->out);
        self::assertSame(0, $this->doctor('--only=APP1', '--ignore=APP1')->exit);

        $this->app->config('mail', "['mailers' => ['smtp' => ['transport' => 'smtp', 'timeout' => 5]]]");
        self::assertSame([['APP1', 'pass', 'it gives up in time']], $this->said($this->doctor('--json', '--only=APP1'), 0));
    }

    #[Test]
    public function one_that_fails_is_crashed_and_stops_no_other(): void
    {
        $this->app->write('app/Doctor/MailTimeout.php', str_replace('        $seconds = ', "        throw new \\LogicException('oh');\n        \$seconds = ", self::example()));
        $said = $this->said($this->doctor('--json', '--only=APP1,L4'), 0);

        self::assertSame(['APP1', 'crashed'], array_slice($said[0], 0, 2));
        self::assertStringStartsWith('LogicException: oh (', $said[0][2]);
        self::assertSame('L4', $said[1][0]);
    }

    /** @return iterable<string, array{string, string}> */
    public static function wrong(): iterable
    {
        yield 'no list' => ["'App\\Doctor\\MailTimeout'", 'Config headroom.doctor.checks is'];
        yield 'no class' => ["['App\\Doctor\\Nobody']", 'It must be the name of a class that implements Headroom\Doctor\Check.'];
        yield 'no check' => ['[App\OpenSlots::class]', 'It must be the name of a class that implements Headroom\Doctor\Check.'];
        yield 'one twice' => ['[App\Doctor\MailTimeout::class, App\Doctor\MailTimeout::class]', 'and of one check only.'];
    }

    #[Test]
    #[DataProvider('wrong')]
    public function what_is_no_check_is_a_wrong_configuration_for_the_doctor_and_for_no_other_command(string $checks, string $message): void
    {
        $this->app->config('headroom', "['doctor' => ['checks' => {$checks}]]");
        $outcome = $this->doctor('--only=L4');

        self::assertSame(1, $outcome->exit);
        self::assertStringContainsString($message, (string) preg_replace('/\s+/', ' ', $outcome->all()));
        self::assertSame(0, $this->app->artisan('list')->exit);
    }

    #[Test]
    public function an_id_of_this_package_is_not_taken(): void
    {
        $this->app->write('app/Doctor/MailTimeout.php', str_replace("'APP1'", "'N5'", self::example()));

        self::assertStringContainsString('two or more, then letters', (string) preg_replace('/\s+/', ' ', $this->doctor('--only=L4')->all()));
    }

    private function doctor(string ...$options): Outcome
    {
        return $this->app->artisan('headroom:doctor', ...array_values($options));
    }

    /** @return list<array{string, string, string}> */
    private function said(Outcome $outcome, int $exit): array
    {
        self::assertSame($exit, $outcome->exit, $outcome->all());
        /** @var array{findings: list<array{id: string, status: string, message: string}>} $read */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);

        return array_map(static fn (array $finding): array => [$finding['id'], $finding['status'], $finding['message']], $read['findings']);
    }

    private static function example(): string
    {
        self::assertSame(1, preg_match('/^```php\n(<\?php.*?)^```$/ms', (string) file_get_contents(dirname(__DIR__, 2).'/docs/doctor.md'), $code));

        return $code[1];
    }
}
