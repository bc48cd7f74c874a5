<?php

declare(strict_types=1);

use Headroom\Tests\Fault\Support\Actor;
use Headroom\Tests\Fault\Support\ScriptedCheckpoint;
use Headroom\Tests\Fault\Support\World;

/*
 * A process of a fault test: does one thing to the buffer and waits, stops or dies at the points it was told.
 */
require __DIR__.'/autoload.php';

/**
 * @var array{world: string, action: string, arguments: list<string>, points: array<string, string>} $script
 *     Child wrote it
 */
$script = json_decode($argv[1] ?? '', true, 8, JSON_THROW_ON_ERROR);
$checkpoint = new ScriptedCheckpoint($script['points']);
$result = (new Actor(World::fromJson($script['world']), $checkpoint))->act($script['action'], $script['arguments']);

fwrite(STDOUT, 'done '.json_encode($result, JSON_THROW_ON_ERROR)."\n");
