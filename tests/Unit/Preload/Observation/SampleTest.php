<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload\Observation;

use Headroom\Preload\Observation\Sample;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * Each test runs in a separate process, which has declared only the classes of the test.
 * tests/Acceptance/Preload/SampledRequestsTest.php tests the effect of preloading.
 */
final class SampleTest extends DirectoryTestCase
{
    #[Test]
    public function classes_interfaces_traits_and_enums_with_a_file_are_used(): void
    {
        self::assertSame(
            [['A\One', 'A\Four', 'A\Two', 'A\Three'], null, 'posts/{post}', '/posts/5'],
            $this->sample('namespace A; class One {} interface Two {} trait Three {} enum Four { case A; }'),
        );
    }

    #[Test]
    public function aliases_and_classes_of_php_or_without_a_file_are_not_counted(): void
    {
        self::assertSame(
            ['One'],
            $this->sample(
                'class One {} new class {}; eval("class Made {}"); class_alias(One::class, "Second"); new ArrayObject;',
            )[0],
        );
    }

    #[Test]
    public function classes_loaded_for_the_sample_alone_are_not_used(): void
    {
        self::assertSame(['One'], $this->sample('class One {} class Sampler {}', ['Sampler'])[0]);
    }

    #[Test]
    public function no_autoloader_is_asked(): void
    {
        self::assertSame(
            ['One'],
            $this->sample(
                'spl_autoload_register(function (string $class) { exit("asked for {$class}"); });'
                    .' if (true) { class One {} }',
            )[0],
        );
    }

    /**
     * @param list<string> $except
     * @return array<array-key, mixed>
     */
    private function sample(string $code, array $except = []): array
    {
        $room = dirname(__DIR__, 4).'/src/Preload/Observation';
        $application = $this->directory->write('application.php', "<?php {$code}");
        $script = $this->directory->write(
            'script.php',
            '<?php require $argv[1]; require $argv[2]; $s = '.Sample::class
                .'::ofThisProcess("posts/{post}", "/posts/5", json_decode($argv[3])); echo json_encode([$s->classes,'
                .' $s->preloaded, $s->route, $s->page]);',
        );
        $process = new Process([
            PHP_BINARY, $script, $application, "{$room}/Sample.php", json_encode($except, JSON_THROW_ON_ERROR),
        ]);
        $process->mustRun();

        return (array) json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
    }
}
