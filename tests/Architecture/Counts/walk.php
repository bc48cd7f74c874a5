<?php

declare(strict_types=1);

use Headroom\Tests\Architecture\Counts\Recorder;

// PHP runs this before a program (auto_prepend_file). The program then loads the instrumented copy of src/ in
// HEADROOM_WALK_COPY, and writes its walk to HEADROOM_WALK_RESULT at its end.
require dirname(__DIR__, 3).'/vendor/autoload.php';

$copy = getenv('HEADROOM_WALK_COPY').'/src/';

spl_autoload_register(static function (string $class) use ($copy): void {
    $file = $copy.str_replace('\\', '/', substr($class, strlen('Headroom\\'))).'.php';

    if (str_starts_with($class, 'Headroom\\') && is_file($file)) {
        require $file;
    }
}, prepend: true);

register_shutdown_function(static function () use ($copy): void {
    $walk = Recorder::walk();
    $files = [];

    foreach ($walk->files as $file) {
        if (str_starts_with($file, $copy)) {
            $files[] = 'src/'.substr($file, strlen($copy));
        }
    }

    file_put_contents((string) getenv('HEADROOM_WALK_RESULT'), json_encode([
        'calls' => $walk->calls,
        'switches' => $walk->switches,
        'files' => $files,
    ], JSON_THROW_ON_ERROR));
});
