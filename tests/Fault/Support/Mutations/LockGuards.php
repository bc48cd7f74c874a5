<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support\Mutations;

use Headroom\Tests\Fault\Support\Mutation;

final class LockGuards
{
    /** @return list<Mutation> */
    public static function all(): array
    {
        $lock = 'Spool/FileStore/State/FlushLock.php';

        return [
            new Mutation(
                'flush lock',
                $lock,
                '! flock($file, LOCK_EX | LOCK_NB); $try++',
                '! is_resource($file); $try++',
                'FlushLockTest::of_two_flushers_at_once_the_second_finds_the_bucket_busy',
            ),
            new Mutation(
                'flush lock: path check',
                $lock,
                'if ($stat === false || @fileinode($layout->flushLock) !== $stat[\'ino\']) {',
                'if ($stat === false) {',
                'FlushLockTest::a_flusher_does_not_take_a_lock_whose_file_was_removed_since_it_looked',
            ),
            new Mutation(
                'lost lock: state',
                'Spool/FileStore/State/StateFile.php',
                "        \$this->checkLock();\n        \$generation",
                '        $generation',
                'FlushLockTest::a_flusher_that_lost_its_lock_file_does_not_overwrite_the_new_state',
            ),
            new Mutation(
                'lost lock: rename',
                'Spool/FileStore/Segment/Sealer.php',
                '$this->state->checkLock();',
                '',
                'FlushLockTest::a_sealer_whose_lock_file_was_removed_does_not_give_a_number_twice',
            ),
            new Mutation(
                'node id: read again',
                'Spool/FileStore/State/NodeId.php',
                'if ($id !== false && self::isValid($id)) {',
                'if ($id === \'-\') {',
                'NodeIdTest::two_processes_that_make_a_node_id_at_once_agree',
            ),
        ];
    }
}
