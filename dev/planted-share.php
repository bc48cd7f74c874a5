<?php

declare(strict_types=1);

use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Nginx\NginxMaster;
use Headroom\Process\Proc;
use Headroom\Tests\Acceptance\Doctor\Planted\Catalogue;
use Headroom\Tests\Acceptance\Doctor\Planted\Outcome;
use Headroom\Tests\Acceptance\Doctor\Planted\Planting;

/*
 * Plants the named faults one after the other, and prints a line of JSON for each.
 * dev/planted-faults.php starts several.
 */
require dirname(__DIR__).'/vendor/autoload.php';

// The doctor reports every nginx and PHP-FPM of the machine and the counters of its network, so another stack would add
// findings.
if (NginxMaster::running(new Proc) !== [] || RunningMaster::all() !== []) {
    fwrite(
        STDERR,
        'planted-faults: an nginx or PHP-FPM is already running, and the doctor would report it.'
            ." Stop it, or run this as root to isolate the stack\n",
    );
    exit(2);
}

$plantings = array_column(
    array_map(
        static fn (Planting $planting): array => [$planting->name, $planting],
        [Planting::nothing(), ...Catalogue::nearMisses(), ...Catalogue::faults()],
    ),
    1,
    0,
);

foreach (array_slice($argv, 1) as $name) {
    echo json_encode(
        Outcome::of($plantings[$name])->toArray(),
        JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE,
    ), "\n";
}
